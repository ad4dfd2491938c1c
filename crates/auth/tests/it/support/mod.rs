//! What the tests share: a server with a database, a mailbox and a clock of its own.

mod app;
mod client;
pub(crate) mod mailbox;

pub(crate) use app::TestApp;
pub(crate) use client::{Answer, DATED, bearer};
