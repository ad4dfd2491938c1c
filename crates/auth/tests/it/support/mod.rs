//! Helpers of the tests: a server with a database, a mailbox and a clock of its own.

mod app;
pub(crate) mod authenticator;
pub(crate) mod browser;
pub(crate) mod captcha;
mod client;
pub(crate) mod collector;
mod documented;
pub(crate) mod faults;
pub(crate) mod github;
pub(crate) mod hook;
pub(crate) mod idp;
pub(crate) mod key_pages;
mod locks;
pub(crate) mod log;
pub(crate) mod mail_flows;
pub(crate) mod mailbox;
mod oauth1;
mod oauth2;
pub(crate) mod oidc_server;
pub(crate) mod operator;
pub(crate) mod outbox;
pub(crate) mod outside;
pub(crate) mod pages;
pub(crate) mod profile;
pub(crate) mod provider_cases;
pub(crate) mod provider_double;
mod raw_http;
mod redact;
pub(crate) mod served;
pub(crate) mod sms;
mod storage;
pub(crate) mod tokens;

pub(crate) use app::{Sql, TestApp};
pub(crate) use client::{API_VERSION_2024, Answer, bearer};
pub(crate) use redact::redacted;
pub(crate) use storage::hex;
