//! A module that denies all lints: generated code must not violate any of them.
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    elided_lifetimes_in_paths,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unused_lifetimes,
    unused_qualifications,
    clippy::all,
    clippy::pedantic
)]
#![expect(unreachable_pub, reason = "public as in the library of a caller")]

use std::fmt;

use innkeeper_rest::filter::RequestIds;
use innkeeper_rest::{ApiError, Body, Request, Response, RestApi, location, resource};

use super::{client, get, ok, seen};

/// A resource with many kinds of attributes and arguments.
#[derive(Debug)]
pub struct Ledger {
    /// The first page.
    pub first: u64,
}

/// Errors of a ledger.
#[derive(Debug, ApiError)]
pub enum LedgerError {
    /// There is no such page.
    #[api(status = 404)]
    NoSuchPage,
    /// The ledger is closed.
    #[api(status = 409, code = "closed")]
    Closed {
        /// The user who closed it.
        by: String,
    },
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchPage => f.write_str("no such page"),
            Self::Closed { by } => write!(f, "closed by {by}"),
        }
    }
}

#[resource("/ledger")]
#[filter(RequestIds::default())]
#[security(bearer)]
impl Ledger {
    /// Returns a page.
    ///
    /// # Errors
    ///
    /// Fails when there is no such page.
    #[get("/{page}")]
    #[responds(200, u64)]
    #[timeout(10)]
    #[body_limit(16 * 1024)]
    pub async fn page(
        &self,
        page: u64,
        #[param(default = 10)] lines: u8,
        #[header("x-by", default = "nobody")] by: String,
        #[cookie("seen")] mut seen: Option<u64>,
    ) -> Result<u64, LedgerError> {
        tokio::task::yield_now().await;
        if page < self.first {
            return Err(LedgerError::NoSuchPage);
        }
        if seen.take().is_some() {
            return Err(LedgerError::Closed { by });
        }
        Ok(page + u64::from(lines))
    }

    /// Adds a page.
    #[must_use]
    #[post]
    pub fn add(&self, page: u64) -> Response {
        Response::created_at(location!("/ledger/{page}", page.max(self.first)), ())
    }

    /// Reads a page as a stream.
    #[put]
    #[detached]
    pub async fn stream(&self, #[stream] body: Body, #[request] request: &Request) -> String {
        let length = body.read_all().await.map(|bytes| bytes.len());
        format!("{} {}", request.path(), length.unwrap_or_default())
    }

    /// Clears the ledger, which stores nothing.
    #[delete]
    pub fn clear() {}
}

#[tokio::test]
async fn generated_code_passes_the_strictest_lints() {
    let client = client(RestApi::new(Ledger { first: 5 }));
    assert_eq!(get(&client, "/ledger/7").await, ok("17"));
    assert_eq!(get(&client, "/ledger/1").await.0, 404);
    let added = client.post("/ledger").json(&8).send().await;
    assert_eq!(added.header("location"), Some("/ledger/8"));
    let taken = client.put("/ledger").body("12345").send().await;
    assert_eq!(seen(&taken), ok("/ledger 5"));
    assert_eq!(client.delete("/ledger").send().await.status(), 204);
}
