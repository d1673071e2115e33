//! Was this page online, with this content, at this date? The answer, its evidence, and its verification.

pub mod reread;
pub mod phrase_model;
pub mod embed_model;
pub mod model;
pub mod words;
pub mod phrases;
pub mod embeds;
pub mod page;
pub mod compute;
pub mod seal;
pub mod ask;
pub mod stamp;
pub mod verify;
pub mod timeline;
