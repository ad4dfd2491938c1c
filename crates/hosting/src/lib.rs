//! The hosting and content API of Innkeeper.
//!
//! A hosting company drops a folder of Markdown in, and its site, its widgets and its partners read a
//! fast, cacheable public API: articles of a blog and a knowledge base, feeds, images and the plan
//! catalog.

mod answer;
mod api;
mod app;
pub mod config;
pub mod content;
pub mod demo;
pub mod migrate;
pub mod plans;
mod server;

pub use api::route_table;
pub use server::{Hosting, StartError, open};

/// The version of this crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
