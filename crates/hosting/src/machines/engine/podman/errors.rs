//! What the engine's errors mean.
//!
//! Status codes differ between Podman and Docker and are often 500, so callers look at the state of the
//! container before they look at an error.

use std::error::Error;

use crate::machines::engine::EngineError;

/// Translates an error of the connection.
pub(super) fn unreachable(error: &dyn Error) -> EngineError {
    EngineError::Unreachable(describe(error))
}

/// Translates an error in an answer that is not what was expected.
pub(super) fn unreadable(error: &serde_json::Error) -> EngineError {
    EngineError::Internal(format!("the engine's answer: {error}"))
}

/// Translates a response that is not a success.
pub(super) fn from_response(status: u16, message: &str) -> EngineError {
    let lower = message.to_ascii_lowercase();
    let says = |words: &str| lower.contains(words);
    if says("no space left on device") || says("disk quota exceeded") {
        EngineError::DiskFull
    } else if says("address already in use") || says("port is already allocated") {
        EngineError::Refused(match used_port(message) {
            Some(port) => format!("port {port} of the host is in use"),
            None => "a port of the machine is in use on the host".to_owned(),
        })
    } else if says("no such image") || says("image not known") {
        EngineError::Refused("the image of the game is not on the host".to_owned())
    } else {
        match status {
            400 => EngineError::Refused(message.trim().to_owned()),
            404 => EngineError::NotFound,
            409 => EngineError::Busy,
            _ => EngineError::Internal(message.trim().to_owned()),
        }
    }
}

/// Finds the port in a message such as `listen tcp4 127.0.0.1:25565: bind: address already in use`.
fn used_port(message: &str) -> Option<u16> {
    message
        .split([' ', ','])
        .filter_map(|word| word.trim_end_matches(':').rsplit_once(':'))
        .find_map(|(_, port)| port.parse().ok())
}

/// Returns an error with its causes, because the outer one of a failed connection only says that it failed.
fn describe(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::from_response;
    use crate::machines::engine::EngineError;

    #[test]
    fn a_port_in_use_is_named() {
        let podman = "cannot listen on the TCP port: listen tcp4 127.0.0.1:17777: bind: address already in use";
        let docker = "driver failed programming external connectivity: Bind for 0.0.0.0:17777 failed: port is already allocated";
        for message in [podman, docker] {
            assert_eq!(
                from_response(500, message),
                EngineError::Refused("port 17777 of the host is in use".to_owned())
            );
        }
    }

    #[test]
    fn a_full_disk_and_a_missing_image_are_recognised() {
        let full = "writing file: no space left on device";
        assert_eq!(from_response(500, full), EngineError::DiskFull);
        let image = "no such image: localhost/nope:1: image not known";
        assert!(matches!(from_response(404, image), EngineError::Refused(_)));
        let container = "no container with name or ID \"x\" found: no such container";
        assert_eq!(from_response(404, container), EngineError::NotFound);
    }
}
