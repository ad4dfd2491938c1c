//! The demo game server, which is compiled from `demo-game/` and embedded.

use std::collections::BTreeMap;

use crate::model::{GameProfile, ProfilePort, Protocol, StopMethod};

/// The port that the server listens on in its container.
pub const PORT: u16 = 7777;
/// The image, which is built on the host and never pulled.
pub const IMAGE: &str = "localhost/innkeeper/demo-game:latest";
/// The program, one static file; empty if the compiler could not link it.
pub(crate) const BINARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/demo-game"));
/// Where the program is in the image.
pub(crate) const PROGRAM: &str = "demo-game";

/// Returns the profile of the demo game server.
pub fn profile() -> GameProfile {
    GameProfile {
        name: "demo".to_owned(),
        version: Some(crate::base::VERSION.to_owned()),
        image: IMAGE.to_owned(),
        command: Vec::new(),
        environment: BTreeMap::new(),
        data_path: "/data".to_owned(),
        stop: StopMethod::Command("stop".to_owned()),
        ready_pattern: Some("^Ready for players".to_owned()),
        ready_seconds: 30,
        ports: vec![ProfilePort {
            port: PORT,
            protocol: Protocol::Tcp,
        }],
        read_only_root: true,
    }
}

#[cfg(test)]
mod tests {
    use super::BINARY;

    #[test]
    fn the_program_is_embedded() {
        assert!(BINARY.starts_with(b"\x7fELF"));
    }
}
