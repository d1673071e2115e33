//! Renderers: table, JSON, CSV, HTML. They compute nothing.

pub mod escape;
pub mod json_line;
pub mod observations;
pub mod schedule_table;
