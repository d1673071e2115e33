//! Canonical URLs.
