//! What handlers return and what is sent.
