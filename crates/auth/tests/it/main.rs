//! The server as its clients see it, on a real PostgreSQL and a real SMTP conversation.

mod migrate;
mod queries;
mod routes;
mod stories;
mod support;
