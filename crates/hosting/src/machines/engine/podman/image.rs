//! Builds the image of the demo game server from an archive that is made here. Nothing is pulled.

use std::collections::HashMap;

use aws_lc_rs::digest::{SHA256, digest};
use bollard::query_parameters::BuildImageOptionsBuilder;
use bytes::Bytes;
use futures_util::StreamExt;

use super::{PodmanEngine, errors};
use crate::machines::demo_game;
use crate::machines::engine::EngineError;

/// The label with the digest of the program in an image.
const DIGEST_LABEL: &str = "innkeeper.digest";
/// The size of a block of an archive.
const BLOCK: usize = 512;

impl PodmanEngine {
    /// Builds the image of the demo game server, unless it is there.
    pub(crate) async fn ensure_demo_image(&self) -> Result<(), EngineError> {
        if demo_game::BINARY.is_empty() {
            return Err(EngineError::Refused(
                "the demo game server is not part of this binary".to_owned(),
            ));
        }
        let label = hex(digest(&SHA256, demo_game::BINARY).as_ref());
        let client = self.socket.client()?;
        if let Ok(image) = client.inspect_image(demo_game::IMAGE).await {
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
        let options = BuildImageOptionsBuilder::default()
            .t(demo_game::IMAGE)
            .labels(&HashMap::from([(DIGEST_LABEL, label)]))
            .rm(true)
            .forcerm(true);
        let body = bollard::body_full(Bytes::from(archive));
        let mut progress = std::pin::pin!(client.build_image(options.build(), None, Some(body)));
        while let Some(step) = progress.next().await {
            let step = step.map_err(|error| errors::from_client(&error))?;
            if let Some(error) = step.error_detail {
                let message = error.message.unwrap_or_default();
                return Err(errors::from_response(500, &message));
            }
        }
        Ok(())
    }
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

    use super::append;

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
