//! The strategies of the SHARC paper: organ pipes, and pyramids around the hottest hopeful pages.
//!
//! Source: Denev, Mazeika, Spaniol, Weikum, *The SHARC framework for data quality in Web archiving*, VLDB Journal.

pub(crate) mod offline;
pub(crate) mod online;
pub(crate) mod selective;
pub(crate) mod selective_online;
