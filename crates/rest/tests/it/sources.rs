//! Where arguments come from.
