//! What stood at a date: the commands as users meet them, phrases, embedded resources, verification, and all of it against
//! crawls of which every change is known.

mod archive;
mod between;
mod bundle;
mod caches;
mod cli;
mod contradictory_heads;
mod counsel;
mod embeds;
mod ends;
mod history;
mod last_modified;
mod phrases;
mod revisits;
mod spans;
#[cfg(feature = "signatures")]
mod stamps;
#[path = "../support/mod.rs"]
mod support;
mod truth;
mod verify;
