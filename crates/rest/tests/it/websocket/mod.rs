//! Websockets: handshake, frames, origins, and close.

mod frames;
mod handshake;
mod in_process;
mod life;
mod origins;
mod wire;

use std::sync::Arc;

use innkeeper_rest::{
    App, Close, Message, Origins, Rejection, Response, RestApi, StatusCode, Upgrade, resource,
};
use tokio::sync::Notify;

/// The shared state of the handlers.
#[derive(Clone, Default)]
struct Rooms {
    /// Why the websocket of `/rooms/log` was closed.
    log: Arc<tokio::sync::Mutex<Option<Close>>>,
    over: Arc<Notify>,
}

#[resource("/rooms")]
impl Rooms {
    /// Echoes every message.
    #[get("/{id}/echo")]
    async fn echo(&self, id: u64, #[upgrade] upgrade: Upgrade) -> Result<Response, Rejection> {
        if id == 0 {
            let refusal = Rejection::new(StatusCode::NOT_FOUND, "no_room", "no such room");
            return Err(refusal);
        }
        let upgrade = upgrade.max_message(1000).max_frame(400);
        Ok(upgrade.accept(async move |mut socket| {
            while let Some(message) = socket.next().await {
                if socket.send(message).await.is_err() {
                    break;
                }
            }
        }))
    }

    /// Takes arguments of several sources.
    #[get("/{id}/arguments")]
    fn arguments(
        &self,
        #[upgrade] upgrade: Upgrade,
        id: u64,
        #[param] times: u8,
        #[header("x-name")] name: &str,
    ) -> Response {
        let told = format!("{id} {times} {name}");
        upgrade.accept(async move |mut socket| {
            socket.send(told).await.unwrap();
        })
    }

    /// Supports two subprotocols.
    #[get("/protocols")]
    fn protocols(&self, #[upgrade] upgrade: Upgrade) -> Response {
        let upgrade = upgrade.protocols(["chat.v2", "chat.v1"]);
        upgrade.accept(async |mut socket| {
            let told = format!("{:?}", socket.protocol());
            socket.send(told).await.unwrap();
        })
    }

    /// Records why it was closed.
    #[get("/log")]
    fn log(&self, #[upgrade] upgrade: Upgrade) -> Response {
        let this = self.clone();
        upgrade.max_message(1000).accept(async move |mut socket| {
            while socket.next().await.is_some() {}
            *this.log.lock().await = socket.closed().cloned();
            this.over.notify_one();
        })
    }

    /// Ends at once, in the way that `how` names.
    #[get("/end")]
    fn end(&self, how: &str, #[upgrade] upgrade: Upgrade) -> Response {
        let how = how.to_owned();
        upgrade.accept(async move |mut socket| match &*how {
            "panic" => unreachable!("as the test asks for"),
            "close" => socket.close(Close::new(4001, "the room is full")).await,
            "task" => {
                // The socket outlives the handler, in a task.
                tokio::spawn(async move {
                    socket.next().await;
                    socket.send("from a task").await.unwrap();
                });
            }
            _ => {}
        })
    }

    /// Opens a websocket if the request is a handshake, or returns a page.
    #[get("/both")]
    fn both(&self, #[upgrade] upgrade: Option<Upgrade>) -> Response {
        match upgrade {
            Some(upgrade) => upgrade.accept(async |mut socket| {
                socket.send(vec![1, 2, 3]).await.unwrap();
            }),
            None => Response::ok().entity("a page"),
        }
    }

    /// Accepts only listed origins.
    #[get("/listed")]
    fn listed(&self, #[upgrade] upgrade: Upgrade) -> Response {
        let origins = [
            "https://example.com",
            "https://*.example.com",
            "http://localhost:*",
        ];
        let upgrade = upgrade.origins(Origins::these(origins).unwrap());
        upgrade.accept(async |_| ())
    }

    /// Accepts a listed origin and the server's own.
    #[get("/listed-or-own")]
    fn listed_or_own(&self, #[upgrade] upgrade: Upgrade) -> Response {
        let origins = Origins::these(["https://example.com"]).unwrap();
        upgrade.origins(origins.or_same()).accept(async |_| ())
    }

    #[get("/public")]
    fn public(&self, #[upgrade] upgrade: Upgrade) -> Response {
        upgrade.origins(Origins::any()).accept(async |_| ())
    }

    /// Accepts the upgrade, but returns another response.
    #[get("/fickle")]
    fn fickle(&self, #[upgrade] upgrade: Upgrade) -> &'static str {
        let _accepted = upgrade.accept(async |mut socket| {
            socket.send(Message::from("never")).await.unwrap();
        });
        "no websocket after all"
    }
}

fn app() -> App {
    App::new().mount("/", RestApi::new(Rooms::default()))
}
