//! Renderers: table, JSON, CSV, HTML. They compute nothing.

pub(crate) mod at;
pub(crate) mod at_json;
mod at_parts;
pub(crate) mod calibration;
pub(crate) mod certificate;
pub(crate) mod change;
pub(crate) mod completeness;
pub(crate) mod csv;
pub(crate) mod diff;
pub(crate) mod escape;
pub(crate) mod explain;
pub(crate) mod figures;
pub(crate) mod first_screen;
pub(crate) mod findings;
pub(crate) mod html;
pub mod json;
pub(crate) mod layout;
pub(crate) mod missing;
pub(crate) mod observations;
pub(crate) mod pretty;
pub(crate) mod plan_table;
pub(crate) mod rebuild;
pub(crate) mod schedule_table;
pub(crate) mod simulate;
pub(crate) mod table;
pub(crate) mod timeline;
pub(crate) mod timeline_csv;
