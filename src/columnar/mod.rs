//! Tables as Parquet: observations, links, page records and problems, for engines that read columns.

pub(crate) mod flat;
pub(crate) mod links;
pub(crate) mod provenance;
pub(crate) mod observations;
pub(crate) mod problems;
pub(crate) mod rows;
pub(crate) mod table;
