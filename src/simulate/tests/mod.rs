//! The simulator against the numbers of the papers, against the closed forms of the scheduler, and against itself.

mod golden;
mod laws;
