//! Builds the image of the demo game server from an archive that is made here. Nothing is pulled.

use std::collections::HashMap;

use aws_lc_rs::digest::{SHA256, digest};
use serde::Deserialize;
use serde_json::json;

use super::connect::with_query;
use super::{PodmanEngine, errors};
use crate::machines::demo_game;
use crate::machines::engine::EngineError;

/// The label with the digest of the program in an image.
const DIGEST_LABEL: &str = "innkeeper.digest";
/// The size of a block of an archive.
const BLOCK: usize = 512;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ImageBody {
    config: Option<ImageConfigBody>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ImageConfigBody {
    labels: Option<HashMap<String, String>>,
}

/// A message about the progress of a build. The status of the answer is sent before the build begins, so
/// a failure is a message too.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BuildMessage {
    error_detail: Option<BuildError>,
}

#[derive(Deserialize)]
struct BuildError {
    message: Option<String>,
}

impl PodmanEngine {
    /// Builds the image of the demo game server, unless it is there.
    pub(crate) async fn ensure_demo_image(&self) -> Result<(), EngineError> {
        if demo_game::BINARY.is_empty() {
            return Err(EngineError::Refused(
                "the demo game server is not part of this binary".to_owned(),
            ));
        }
        let label = hex(digest(&SHA256, demo_game::BINARY).as_ref());
        let path = format!("/images/{}/json", demo_game::IMAGE);
        if let Ok(Some(image)) = self.socket.get_json::<ImageBody>(&path).await {
            let labels = image
                .config
                .and_then(|config| config.labels)
                .unwrap_or_default();
            if labels.get(DIGEST_LABEL) == Some(&label) {
                return Ok(());
            }
        }
        let program = demo_game::PROGRAM;
        let recipe = format!("FROM scratch\nCOPY {program} /{program}\nCMD [\"/{program}\"]\n");
        let mut archive = Vec::with_capacity(demo_game::BINARY.len() + 8 * BLOCK);
        append(&mut archive, "Dockerfile", 0o644, recipe.as_bytes());
        append(&mut archive, program, 0o755, demo_game::BINARY);
        // Two empty blocks end an archive.
        archive.resize(archive.len() + 2 * BLOCK, 0);
        let path = build_path(&label);
        check_build(&self.socket.post_archive(&path, archive.into()).await?)
    }
}

/// Returns the path that builds the image. Defaults are said too: engines need not agree on them.
fn build_path(digest: &str) -> String {
    let labels = json!({ DIGEST_LABEL: digest }).to_string();
    let parameters = [
        ("dockerfile", "Dockerfile"),
        ("t", demo_game::IMAGE),
        ("q", "false"),
        ("nocache", "false"),
        ("rm", "true"),
        ("forcerm", "true"),
        ("labels", &labels),
        ("platform", ""),
        ("target", ""),
        // The builder that is part of the engine.
        ("version", "1"),
    ];
    with_query("/build", &parameters)
}

/// Tells whether a build failed, from its messages.
fn check_build(messages: &[u8]) -> Result<(), EngineError> {
    for message in serde_json::Deserializer::from_slice(messages).into_iter::<BuildMessage>() {
        let message = message.map_err(|error| errors::unreadable(&error))?;
        if let Some(error) = message.error_detail {
            let reason = error.message.unwrap_or_default();
            return Err(errors::from_response(500, &reason));
        }
    }
    Ok(())
}

/// Appends a file to an archive in the format `ustar`.
fn append(archive: &mut Vec<u8>, name: &str, mode: u32, content: &[u8]) {
    let size = content.len();
    let mut header = Vec::with_capacity(BLOCK);
    let mut field = |text: &str, width: usize| {
        let end = header.len() + width;
        header.extend(text.bytes().take(width));
        header.resize(end, 0);
    };
    field(name, 100);
    field(&format!("{mode:07o}"), 8);
    field("0000000", 8); // user
    field("0000000", 8); // group
    field(&format!("{size:011o}"), 12);
    field("00000000000", 12); // time
    field("        ", 8); // checksum, spaces while it is computed
    field("0", 1); // an ordinary file
    field("", 100); // target of a link
    field("ustar", 6);
    field("00", 2);
    field("", 247);
    let checksum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    let checksum = format!("{checksum:06o}\0 ");
    header.splice(148..156, checksum.bytes());
    archive.extend(header);
    archive.extend(content);
    archive.resize(archive.len().next_multiple_of(BLOCK), 0);
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{append, build_path, check_build};
    use crate::machines::engine::EngineError;

    #[test]
    fn every_option_of_a_build_is_said() {
        assert_eq!(
            build_path("00ff"),
            "/build?dockerfile=Dockerfile&t=localhost%2Finnkeeper%2Fdemo-game%3Alatest&q=false&nocache=false\
             &rm=true&forcerm=true&labels=%7B%22innkeeper.digest%22%3A%2200ff%22%7D&platform=&target=&version=1"
        );
    }

    #[test]
    fn a_build_fails_with_a_message() {
        let steps =
            "{\"stream\":\"STEP 1/3: FROM scratch\\n\"}\r\n{\"aux\":{\"ID\":\"sha256:1f\"}}\n";
        assert_eq!(check_build(steps.as_bytes()), Ok(()));
        let full = "{\"error\":\"no space left on device\",\"errorDetail\":{\"message\":\"no space left on device\"}}\n";
        let failed = check_build(format!("{steps}{full}").as_bytes());
        assert_eq!(failed, Err(EngineError::DiskFull));
        let bare = check_build(b"{\"errorDetail\":{}}");
        assert_eq!(bare, Err(EngineError::Internal(String::new())));
        assert!(matches!(
            check_build(b"{\"stream"),
            Err(EngineError::Internal(_))
        ));
    }

    #[test]
    fn tar_can_read_the_archive() {
        let mut archive = Vec::new();
        append(&mut archive, "Dockerfile", 0o644, b"FROM scratch\n");
        append(&mut archive, "demo-game", 0o755, &[7; 1000]);
        archive.resize(archive.len() + 1024, 0);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("context.tar");
        std::fs::write(&path, archive).unwrap();
        let list = Command::new("tar").arg("tvf").arg(&path).output().unwrap();
        let list = String::from_utf8(list.stdout).unwrap();
        let lines: Vec<&str> = list.lines().collect();
        assert_eq!(lines.len(), 2, "{list}");
        assert!(lines[0].starts_with("-rw-r--r--") && lines[0].ends_with("Dockerfile"));
        assert!(lines[1].starts_with("-rwxr-xr-x") && lines[1].contains(" 1000 "));
    }
}
