//! The framework as its README shows it: three resources in one mount beside a tower service,
//! all settings with their defaults.

use std::convert::Infallible;
use std::num::NonZeroUsize;

use anyhow::{Context, Result};
use bench_common::{Account, Profile, Search, Settings};
use bytes::Bytes;
use http_body_util::Full;
use hyper::{Request, Response};
use innkeeper_rest::{App, Body, RestApi, Server, Stop, resource};
use tokio::signal::unix::{SignalKind, signal};

struct Plaintext;

#[resource("/plaintext")]
impl Plaintext {
    #[get]
    fn hello(&self) -> &'static str {
        "Hello, World!"
    }
}

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{id}")]
    async fn get(&self, id: u64) -> Profile {
        Profile::of(id)
    }

    #[post]
    async fn create(&self, account: Account) -> Account {
        account
    }
}

struct Searches;

#[resource("/search")]
impl Searches {
    #[get]
    async fn search(&self, q: String, page: u32, #[separated_by(",")] tags: Vec<String>) -> Search {
        Search { q, page, tags }
    }
}

fn app() -> App {
    let legacy = tower::service_fn(async |_: Request<Body>| {
        Ok::<_, Infallible>(Response::new(Full::new(Bytes::from_static(b"still here"))))
    });
    App::new()
        .mount("/", RestApi::new(Plaintext).with(Users).with(Searches))
        .service("/legacy", legacy)
}

fn main() -> Result<()> {
    let settings = Settings::read()?;
    let stop = Stop::new();
    let told = stop.clone();
    // The server has its own runtimes, one per core; another one waits for the signal.
    std::thread::spawn(move || -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            signal(SignalKind::terminate())?.recv().await;
            told.now();
            Ok(())
        })
    });
    let threads = NonZeroUsize::new(settings.threads).context("THREADS is zero")?;
    Server::bind(settings.address)?
        .stop_on(stop)
        .serve_per_core(threads, app)?;
    Ok(())
}
