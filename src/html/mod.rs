//! Content: links, text, phrases and blocks out of HTML and CSS, streaming; what sitemaps say; all of it bounded.

pub mod blocks;
mod charref;
pub mod charset;
pub mod crawler_links;
pub mod css;
mod element;
mod hidden;
pub mod link_header;
pub mod link_list;
pub mod links;
pub mod page;
pub mod phrase;
mod raw_links;
mod refresh;
pub mod shape;
pub mod sitemap;
pub mod soft404;
mod srcset;
mod tag;
mod tag_skip;
pub mod text;
mod tokens;
mod transcode;
