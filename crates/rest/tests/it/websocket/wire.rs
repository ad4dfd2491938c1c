//! A client that controls every frame it sends.

use innkeeper_rest::App;

use crate::server::wire::{Answer, Running, Wire};

pub(super) const TEXT: u8 = 1;
pub(super) const BINARY: u8 = 2;
pub(super) const CLOSE: u8 = 8;
pub(super) const PING: u8 = 9;
pub(super) const PONG: u8 = 10;

const MASK: [u8; 4] = [0x11, 0x22, 0x33, 0x44];

/// The headers of a handshake.
pub(super) const HANDSHAKE: &str = "Connection: keep-alive, Upgrade\r\n\
    Upgrade: websocket\r\n\
    Sec-WebSocket-Version: 13\r\n\
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/// Returns a masked frame; `first` holds the flags and the opcode.
pub(super) fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = head(first, payload.len());
    let masked = payload.iter().zip(MASK.iter().cycle());
    bytes.extend(masked.map(|(byte, mask)| byte ^ mask));
    bytes
}

/// Returns the header of a frame with a payload of this length.
pub(super) fn head(first: u8, length: usize) -> Vec<u8> {
    let mut bytes = vec![first];
    match length {
        0..126 => bytes.push(0x80 | u8::try_from(length).unwrap()),
        126..65_536 => {
            bytes.push(0x80 | 0x7e);
            bytes.extend(u16::try_from(length).unwrap().to_be_bytes());
        }
        _ => {
            bytes.push(0x80 | 0x7f);
            bytes.extend((length as u64).to_be_bytes());
        }
    }
    bytes.extend(MASK);
    bytes
}

/// Returns a frame that is a whole message.
pub(super) fn whole(opcode: u8, payload: impl AsRef<[u8]>) -> Vec<u8> {
    frame(0x80 | opcode, payload.as_ref())
}

/// The client's side of a websocket.
pub(super) struct Caller {
    pub(super) wire: Wire,
}

impl Caller {
    /// Requests a websocket and returns the head of the response, which may be a refusal.
    pub(super) async fn ask(server: &Running, target: &str, headers: &str) -> (Self, Answer) {
        let mut wire = server.connect().await;
        wire.send(format!(
            "GET {target} HTTP/1.1\r\nHost: test:8080\r\n{headers}\r\n"
        ))
        .await;
        let answer = wire.answer_head().await;
        (Self { wire }, answer)
    }

    pub(super) async fn open(server: &Running, target: &str) -> Self {
        let (caller, answer) = Self::ask(server, target, HANDSHAKE).await;
        assert_eq!(answer.status, 101, "{}", answer.head);
        caller
    }

    pub(super) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.wire.send(bytes).await;
    }

    /// Reads the next frame: its opcode and payload. The server neither masks nor fragments.
    pub(super) async fn frame(&mut self) -> (u8, Vec<u8>) {
        let head = self.wire.take(2).await;
        assert_eq!(head[0] & 0xf0, 0x80, "one whole frame");
        let length = match head[1] {
            126 => {
                let bytes = self.wire.take(2).await;
                usize::from(u16::from_be_bytes(bytes.try_into().unwrap()))
            }
            127 => {
                let bytes = self.wire.take(8).await;
                usize::try_from(u64::from_be_bytes(bytes.try_into().unwrap())).unwrap()
            }
            short => usize::from(short),
        };
        (head[0] & 0x0f, self.wire.take(length).await)
    }

    /// Reads the next frame, which must be text.
    pub(super) async fn text(&mut self) -> String {
        let (opcode, payload) = self.frame().await;
        assert_eq!(opcode, TEXT, "{payload:?}");
        String::from_utf8(payload).unwrap()
    }

    /// Reads the next frame, which must be a close frame: its code and reason.
    pub(super) async fn close(&mut self) -> (u16, String) {
        let (opcode, payload) = self.frame().await;
        assert_eq!(opcode, CLOSE, "{payload:?}");
        let code = u16::from_be_bytes([payload[0], payload[1]]);
        (code, String::from_utf8(payload[2..].to_vec()).unwrap())
    }

    /// Sends a close frame and waits for the server's close frame and the end of the connection.
    pub(super) async fn bye(mut self) {
        self.send(whole(CLOSE, 1000_u16.to_be_bytes())).await;
        assert_eq!(self.close().await.0, 1000);
        assert_eq!(self.wire.rest().await, "");
    }
}

pub(super) fn serve(app: App) -> Running {
    Running::start(app)
}
