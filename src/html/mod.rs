//! HTML and CSS: links, text, phrases and blocks, read as a stream; sitemaps. Everything is bounded.

pub(crate) mod blocks;
mod charref;
pub(crate) mod charset;
pub(crate) mod crawler_links;
pub(crate) mod css;
mod element;
mod hidden;
pub(crate) mod lines;
pub(crate) mod link_header;
pub(crate) mod link_list;
pub(crate) mod links;
pub(crate) mod page;
pub(crate) mod phrase;
mod raw_links;
mod refresh;
pub(crate) mod shape;
pub(crate) mod sitemap;
pub(crate) mod soft404;
mod soft404_words;
mod srcset;
mod tag;
mod tag_skip;
pub(crate) mod text;
mod tokens;
mod transcode;
