//! The SHARC strategies.
//!
//! Source: Denev, Mazeika, Spaniol, Weikum, *The SHARC framework for data quality in Web archiving*, VLDB Journal.

pub mod offline;
pub mod online;
pub mod selective;
pub mod selective_online;
