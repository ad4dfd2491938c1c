//! Parts that the benchmarked servers share: two settings, and the exchanged values.

use std::borrow::Cow;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};

/// How long a client may take to send a request head.
pub const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a connection may idle between requests, if a server distinguishes that.
pub const KEEP_ALIVE: Duration = Duration::from_mins(1);

/// The largest request body a server accepts.
pub const BODY_LIMIT: usize = 2 * 1024 * 1024;

/// The address and the number of threads of a server.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// 127.0.0.1 at `PORT`, required.
    pub address: SocketAddr,
    /// `THREADS`, default 1.
    pub threads: usize,
}

impl Settings {
    pub fn read() -> Result<Self> {
        let port = std::env::var("PORT").context("PORT is required")?;
        let port: u16 = port.parse().context("PORT")?;
        let threads = match std::env::var("THREADS") {
            Ok(threads) => threads.parse().context("THREADS")?,
            Err(_) => 1,
        };
        Ok(Self {
            address: SocketAddr::from(([127, 0, 0, 1], port)),
            threads,
        })
    }
}

/// Returns the directory of static files: `ROOT`, required.
pub fn root() -> Result<PathBuf> {
    Ok(std::env::var_os("ROOT").context("ROOT is required")?.into())
}

/// The response of `GET /users/{id}`.
#[derive(Debug, Serialize)]
pub struct Profile {
    pub id: u64,
    pub name: String,
}

impl Profile {
    pub fn of(id: u64) -> Self {
        Self {
            id,
            name: format!("User {id}"),
        }
    }
}

/// The body of `POST /users`, which the response repeats.
#[derive(Debug, Deserialize, Serialize)]
pub struct Account {
    pub id: u64,
    pub name: String,
    pub email: String,
    pub active: bool,
}

/// The query of `GET /search`, which the response repeats.
#[derive(Debug, Deserialize, Serialize)]
pub struct Search {
    pub q: String,
    pub page: u32,
    #[serde(deserialize_with = "comma_separated")]
    pub tags: Vec<String>,
}

/// Deserializes a list without allocating a string for all of it.
fn comma_separated<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct Items;

    impl Visitor<'_> for Items {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a comma-separated list")
        }

        fn visit_str<E>(self, list: &str) -> Result<Self::Value, E> {
            Ok(split(list))
        }
    }

    deserializer.deserialize_str(Items)
}

/// Splits a comma-separated list.
pub fn split(list: &str) -> Vec<String> {
    list.split(',').map(str::to_owned).collect()
}

/// Reads [`Search`] in one pass over the decoded pairs; `None` if a part is missing or malformed.
pub fn search<'a>(pairs: impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)>) -> Option<Search> {
    let (mut q, mut page, mut tags) = (None, None, None);
    for (name, value) in pairs {
        match &*name {
            "q" => q = Some(value.into_owned()),
            "page" => page = Some(value.parse().ok()?),
            "tags" => tags = Some(split(&value)),
            _ => {}
        }
    }
    Some(Search {
        q: q?,
        page: page?,
        tags: tags?,
    })
}
