//! Was this page online, with this content, at this date? The answer, its evidence, and its verification.

pub(crate) mod date;
pub(crate) mod record_model;
pub(crate) mod reread;
pub(crate) mod second_reader;
pub(crate) mod phrase_model;
pub(crate) mod embed_model;
pub(crate) mod model;
pub(crate) mod page_list;
mod facts;
pub(crate) mod custody;
pub(crate) mod labels;
pub(crate) mod assumptions;
mod clock_words;
mod record_words;
mod span_words;
pub(crate) mod many_words;
pub(crate) mod answer_words;
pub(crate) mod phrase_words;
pub(crate) mod words;
pub(crate) mod phrases;
pub(crate) mod embeds;
pub(crate) mod contradictions;
mod damage;
mod doubt_words;
pub(crate) mod page;
pub(crate) mod seal;
pub(crate) mod companions;
mod page_sorter;
mod total;
pub(crate) mod compute;
mod originals;
pub(crate) mod captures;
pub(crate) mod ask;
pub(crate) mod stamp;
pub(crate) mod verify;
pub(crate) mod version_change;
pub(crate) mod timeline;
pub(crate) mod version_records;
pub(crate) mod timeline_doubts;

#[cfg(test)]
mod schema_tests;
