//! Content: links, text and blocks out of HTML and CSS, streaming and bounded.

mod charref;
pub mod css;
pub mod link_header;
pub mod links;
mod refresh;
mod srcset;
mod tag;
mod tokens;
