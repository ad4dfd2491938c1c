//! Events for many listeners, and idle websockets.

use std::num::NonZeroUsize;

use anyhow::{Context, Result};
use bench_common::Settings;
use futures_util::stream;
use innkeeper_rest::{App, Event, Events, Response, RestApi, Server, Stop, Upgrade, resource};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::broadcast;

struct Live {
    news: broadcast::Sender<Event>,
}

#[resource("/")]
impl Live {
    #[get("/events")]
    fn events(&self) -> Events {
        let news = self.news.subscribe();
        Events::new(stream::unfold(news, async |mut news| {
            Some((news.recv().await.ok()?, news))
        }))
    }

    /// Sends an event to all listeners.
    #[post("/events")]
    fn publish(&self, #[body] text: &str) -> usize {
        self.news.send(Event::text(text)).unwrap_or_default()
    }

    #[get("/live")]
    fn live(&self, #[upgrade] upgrade: Upgrade) -> Response {
        upgrade.accept(async |mut socket| {
            while let Some(message) = socket.next().await {
                if socket.send(message).await.is_err() {
                    break;
                }
            }
        })
    }
}

fn main() -> Result<()> {
    let settings = Settings::read()?;
    let stop = Stop::new();
    let told = stop.clone();
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
    let news = broadcast::Sender::new(16);
    let app = || App::new().mount("/", RestApi::new(Live { news: news.clone() }));
    Server::bind(settings.address)?
        .stop_on(stop)
        .serve_per_core(threads, app)?;
    Ok(())
}
