//! Schedules against the numbers of the papers, and against each other.

mod golden;
mod laws;
