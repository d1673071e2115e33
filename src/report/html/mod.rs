//! Reports as one self-contained HTML file: opened from disk, without network, readable without script.
//!
//! Everything that matters is written here, from the result model; the script adds a cursor, a zoom, sorting, filters and
//! the opening of stories. Nothing that comes from an archive can be markup: see [`markup`].

mod answers;
pub(crate) mod at;
mod at_parts;
pub(crate) mod audit;
mod axis;
mod collection;
mod comparison;
mod coverage;
mod data;
pub(crate) mod diff;
pub(crate) mod document;
mod evidence;
pub(crate) mod exhibit;
pub(crate) mod glossary;
pub(crate) mod markup;
mod missing;
mod next_crawl;
mod overview;
mod pages;
pub(crate) mod plan;
mod promised;
mod profile;
mod pyramid;
pub(crate) mod schedule;
mod story;
mod strategies;
mod strips;
mod timeline;
