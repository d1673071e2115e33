//! Renderers: table, JSON, CSV, HTML. They compute nothing.

pub mod at;
mod at_parts;
pub mod change;
pub mod completeness;
pub mod csv;
pub mod escape;
pub mod explain;
pub mod figures;
pub mod findings;
pub mod html;
pub mod json;
pub mod json_line;
pub mod layout;
pub mod missing;
pub mod observations;
pub mod pretty;
pub mod schedule_table;
pub mod simulate;
pub mod table;
pub mod timeline;
