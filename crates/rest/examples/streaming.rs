//! Streaming: bodies that are never entirely in memory, in both directions, and events.
//!
//! ```text
//! cargo run -p innkeeper-rest --example streaming
//! curl http://127.0.0.1:8080/primes?below=1000000
//! curl --data-binary @/usr/share/dict/words http://127.0.0.1:8080/lines
//! curl --no-buffer http://127.0.0.1:8080/ticks
//! curl --no-buffer -H 'Last-Event-ID: 41' http://127.0.0.1:8080/ticks
//! ```
//!
//! <http://127.0.0.1:8080/> shows the ticks in a browser. Restart the server: the page
//! continues where it was.

use std::convert::Infallible;
use std::time::Duration;

use futures_util::stream;
use innkeeper_rest::{
    App, Body, Event, Events, LastEventId, Rejection, Response, RestApi, Server, Stop, resource,
};

const PAGE: &str = r#"<!doctype html>
<meta charset="utf-8">
<title>Ticks</title>
<p>Tick <output id="tick">0</output>
<script>
  const ticks = new EventSource("/ticks");
  ticks.addEventListener("tick", event => document.getElementById("tick").value = event.data);
</script>
"#;

struct Streaming;

#[resource("/")]
impl Streaming {
    #[get]
    #[produces("text/html")]
    fn page(&self) -> Response {
        let response = Response::ok().content_type("text/html; charset=utf-8");
        response.body(PAGE)
    }

    /// Returns a body that is generated while it is sent, no faster than the client reads.
    #[get("/primes")]
    #[produces("text/plain")]
    fn primes(&self, below: u32) -> Response {
        let is_prime = |n: &u32| !(2..=n.isqrt()).any(|divisor| n.is_multiple_of(divisor));
        let primes = (2..below).filter(is_prime);
        let lines = primes.map(|prime| Ok::<_, Infallible>(format!("{prime}\n")));
        let response = Response::ok().content_type("text/plain");
        response.stream(stream::iter(lines))
    }

    /// Reads a body while it arrives.
    #[post("/lines")]
    #[body_limit(none)]
    #[timeout(none)]
    async fn count(&self, #[stream] mut body: Body) -> Result<usize, Rejection> {
        let mut lines = 0;
        while let Some(chunk) = body.next_chunk().await? {
            lines += chunk.split(|&byte| byte == b'\n').count() - 1;
        }
        Ok(lines)
    }

    /// Sends an event every second, after the last one that the client received.
    #[get("/ticks")]
    fn ticks(&self, #[header("Last-Event-ID")] last: LastEventId<u64>) -> Events {
        let next = last.into_inner().map_or(0, |seen| seen.wrapping_add(1));
        Events::new(stream::unfold(next, async |tick| {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let number = tick.to_string();
            let event = Event::text(&number).id(&number).name("tick");
            Some((event, tick.wrapping_add(1)))
        }))
    }
}

#[tokio::main]
async fn main() -> Result<(), innkeeper_rest::ServeError> {
    let app = App::new().mount("/", RestApi::new(Streaming));
    let server = Server::bind("127.0.0.1:8080")?;
    server.stop_on(Stop::on_signals()).serve(app).await
}
