//! Endless responses: events and websockets.

use innkeeper_rest::{Event, Events, Response, Upgrade, resource};

use super::{document, operation};

struct Live;

#[resource("/live")]
impl Live {
    #[get("/news")]
    fn news(&self) -> Events {
        Events::new(futures_util::stream::iter([Event::text("open")]))
    }

    #[get("/chat")]
    fn chat(&self, #[upgrade] upgrade: Upgrade) -> Response {
        upgrade.accept(async |_| {})
    }
}

#[test]
fn events_and_websockets_are_described() {
    let document = document(Live);
    let news = operation(&document, "/live/news", "get");
    assert!(news["responses"]["200"]["content"]["text/event-stream"].is_object());
    let chat = &operation(&document, "/live/chat", "get")["responses"];
    for status in ["101", "400", "403", "426"] {
        assert!(chat[status].is_object(), "{status}");
    }
    assert!(chat["default"].is_null() && chat["101"]["content"].is_null());
}
