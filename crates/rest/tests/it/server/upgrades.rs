//! Requests for an upgrade that nobody accepts.

use innkeeper_rest::{App, Response, RestApi, Stop, resource};
use tokio::net::TcpSocket;

use super::wire::{Running, Wire, soon};

/// Larger than what the client takes without reading, smaller than what the system takes for it.
const LARGE: usize = 200 * 1024;

#[derive(Clone, Default)]
struct Doors {
    refused: Stop,
}

#[resource("/")]
impl Doors {
    #[get("/large")]
    fn large(&self) -> String {
        "x".repeat(LARGE)
    }

    /// Answers without reading the body.
    #[post("/refused")]
    fn refuse(&self) -> Response {
        self.refused.now();
        Response::error(409)
    }
}

#[tokio::test]
async fn an_unread_body_behind_a_refused_upgrade_does_not_cut_earlier_responses() {
    let doors = Doors::default();
    let server = Running::start(App::new().mount("/", RestApi::new(doors.clone())));
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let stream = soon(socket.connect(server.address)).await.unwrap();
    let mut wire = Wire::over(stream);
    wire.send("GET /large HTTP/1.1\r\nHost: test\r\n\r\n").await;
    wire.send(format!(
        "POST /refused HTTP/1.1\r\nHost: test\r\nConnection: upgrade\r\nUpgrade: other\r\n\
         Content-Length: 100000\r\n\r\n{}",
        "x".repeat(10_000)
    ))
    .await;
    soon(doors.refused.requested()).await;
    // A server that closes at once does it before it answers others, with most of the first response unread.
    for _ in 0..3 {
        assert_eq!(server.connect().await.get("/none").await.status, 404);
    }
    assert_eq!(wire.answer().await.body.len(), LARGE);
    let refusal = wire.answer().await;
    assert_eq!(refusal.status, 409);
    assert_eq!(refusal.header("connection"), Some("close"));
}
