//! Starting an emulator.

use std::io;
use std::path::Path;
use std::process::Stdio;

use tokio::io::AsyncReadExt;
use tokio::process::Command;

use crate::machines::engine::EngineError;

/// How much of the messages of a program is read, in bytes.
const MAX_MESSAGES: u64 = 16 * 1024;

/// Runs the emulator until it has gone to the background or given up.
///
/// If this future is dropped, the emulator goes on and is found later by the file with its number.
pub(super) async fn launch(binary: &Path, arguments: &[String]) -> Result<(), EngineError> {
    let mut command = Command::new(binary);
    command
        .args(arguments)
        // The environment of the server has secrets.
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let unreachable = |error: io::Error| {
        EngineError::Unreachable(format!("{} cannot be run: {error}", binary.display()))
    };
    let mut child = command.spawn().map_err(unreachable)?;
    let mut messages = Vec::new();
    if let Some(output) = child.stderr.take() {
        output.take(MAX_MESSAGES).read_to_end(&mut messages).await?;
    }
    if child.wait().await?.success() {
        return Ok(());
    }
    Err(failure(&messages))
}

/// Tells from the messages of an emulator why it did not start.
fn failure(messages: &[u8]) -> EngineError {
    let text = String::from_utf8_lossy(messages);
    // Another emulator of this machine is starting, or has not quite ended.
    let locks = ["Cannot lock pid file", "Failed to get \"write\" lock"];
    if locks.iter().any(|lock| text.contains(lock)) {
        return EngineError::Busy;
    }
    // QEMU does not say why it cannot write the file with its number: the disk is the only reason.
    let full = ["No space left on device", "Failed to write pid file"];
    if full.iter().any(|full| text.contains(full)) {
        return EngineError::DiskFull;
    }
    let rule = text.split_once("Could not set up host forwarding rule '");
    if let Some(rule) = rule.and_then(|(_, rest)| rest.split('\'').next()) {
        return EngineError::Refused(format!("a port cannot be opened: {rule}"));
    }
    let memory = ["cannot set up guest memory", "Cannot allocate memory"];
    if memory.iter().any(|memory| text.contains(memory)) {
        return EngineError::Refused("the host does not have enough memory".to_owned());
    }
    EngineError::Internal(first_line(messages))
}

/// Returns the first line of the messages of a program, without its name.
pub(super) fn first_line(messages: &[u8]) -> String {
    let text = String::from_utf8_lossy(messages);
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    // QEMU tries KVM first, and says so when it cannot.
    let line = lines.find(|line| !line.contains("warning:") && !line.contains("KVM kernel module"));
    let line = line.unwrap_or("it gave no reason").trim();
    let text = line.split_once(": ").map_or(line, |(_, text)| text);
    text.chars().filter(|letter| !letter.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emulator_that_is_already_there_is_no_failure_of_the_machine() {
        for message in [
            "qemu-system-x86_64: cannot create PID file: Cannot lock pid file: Resource temporarily \
             unavailable\n",
            "qemu-system-x86_64: -blockdev driver=qcow2: Failed to get \"write\" lock\nIs another process \
             using the image [/m/disk.qcow2]?\n",
        ] {
            assert_eq!(failure(message.as_bytes()), EngineError::Busy);
        }
    }

    #[test]
    fn a_port_that_cannot_be_opened_is_named() {
        let message = b"qemu-system-x86_64: -netdev user: Could not set up host forwarding rule \
                        'tcp:127.0.0.1:80-:80'\n";
        let expected = "the host refused: a port cannot be opened: tcp:127.0.0.1:80-:80";
        assert_eq!(failure(message).to_string(), expected);
    }

    #[test]
    fn a_full_disk_is_named() {
        for message in [
            "qemu-system-x86_64: cannot create PID file: Failed to write pid file\n",
            "qemu-system-x86_64: -chardev socket: Unable to open logfile /m/serial.log: No space left on device\n",
        ] {
            assert_eq!(failure(message.as_bytes()), EngineError::DiskFull);
        }
    }

    #[test]
    fn other_failures_have_the_words_of_the_emulator() {
        let message = b"Could not access KVM kernel module: No such file or directory\n\
                        qemu-system-x86_64: warning: slow\nqemu-system-x86_64: no \x1b[1mluck\n";
        assert_eq!(
            failure(message),
            EngineError::Internal("no [1mluck".to_owned())
        );
        assert_eq!(first_line(b"\n"), "it gave no reason");
    }
}
