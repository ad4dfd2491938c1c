//! Endpoints and the account pages.

pub(crate) mod api;
pub(crate) mod pages;
