//! Chat: everyone who has the page open sees the messages of the room.
//!
//! ```text
//! cargo run -p innkeeper-rest --example chat
//! ```
//!
//! Open <http://127.0.0.1:8080/?name=Ada> and <http://127.0.0.1:8080/?name=Bob> beside each other.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use innkeeper_rest::{
    App, Message, Response, RestApi, Server, Socket, Stop, Text, Upgrade, resource,
};
use tokio::sync::broadcast;

/// How many lines a reader may fall behind before lines are dropped.
const LINES: usize = 64;

const PAGE: &str = r#"<!doctype html>
<meta charset="utf-8">
<title>Chat</title>
<ul id="lines"></ul>
<form><input id="line" autofocus autocomplete="off"> <button>Say</button></form>
<script>
  const parameters = new URLSearchParams(location.search);
  const room = encodeURIComponent(parameters.get("room") ?? "lobby");
  const name = encodeURIComponent(parameters.get("name") ?? "somebody");
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const socket = new WebSocket(`${scheme}://${location.host}/rooms/${room}/live?name=${name}`, "chat.v1");
  const show = text => {
    const item = document.createElement("li");
    item.textContent = text;
    document.getElementById("lines").append(item);
  };
  socket.onmessage = event => show(event.data);
  socket.onclose = event => show(`closed: ${event.code} ${event.reason}`);
  document.querySelector("form").onsubmit = event => {
    event.preventDefault();
    socket.send(document.getElementById("line").value);
    event.target.reset();
  };
</script>
"#;

/// The channel of each room, which all its websockets receive.
#[derive(Default)]
struct Chat {
    rooms: Mutex<HashMap<String, broadcast::Sender<Text>>>,
}

#[resource("/")]
impl Chat {
    /// Returns the page.
    #[get]
    #[produces("text/html")]
    fn page(&self) -> Response {
        let response = Response::ok().content_type("text/html; charset=utf-8");
        response.body(PAGE)
    }

    /// Joins a room.
    #[get("/rooms/{room}/live")]
    fn live(&self, room: String, name: String, #[upgrade] upgrade: Upgrade) -> Response {
        let room = self.enter(room);
        upgrade
            .protocols(["chat.v1"])
            .max_message(4 * 1024)
            .accept(async move |socket| talk(socket, room, name).await)
    }

    /// Returns the channel of a room; empty rooms are removed.
    fn enter(&self, room: String) -> broadcast::Sender<Text> {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        rooms.retain(|_, channel| channel.strong_count() > 1);
        let channel = rooms.entry(room);
        channel
            .or_insert_with(|| broadcast::Sender::new(LINES))
            .clone()
    }
}

async fn talk(mut socket: Socket, room: broadcast::Sender<Text>, name: String) {
    let mut lines = room.subscribe();
    // Sending fails only without a receiver.
    let say = |line: String| drop(room.send(line.into()));
    say(format!("{name} is here"));
    loop {
        tokio::select! {
            message = socket.next() => match message {
                Some(Message::Text(text)) => say(format!("{name}: {text}")),
                Some(Message::Binary(_)) => {}
                None => break,
            },
            line = lines.recv() => match line {
                Ok(line) => if socket.send(line).await.is_err() {
                    break;
                },
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => break,
            },
        }
    }
    say(format!("{name} has left"));
}

#[tokio::main]
async fn main() -> Result<(), innkeeper_rest::ServeError> {
    let app = App::new().mount("/", RestApi::new(Chat::default()));
    let server = Server::bind("127.0.0.1:8080")?;
    server.stop_on(Stop::on_signals()).serve(app).await
}
