//! A Redis server for one test.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use super::eventually;
use crate::random;

/// A shell script that runs the server until standard input is closed, which happens when the test ends, in
/// whichever way.
const SUPERVISOR: &str = r#""$@" >/dev/null 2>&1 & read -r _; kill -9 $!; wait"#;

/// A Redis server on a Unix socket, which ends with the test.
#[derive(Debug)]
pub struct TestRedis {
    folder: PathBuf,
    supervisor: Option<Child>,
}

impl TestRedis {
    /// Starts an empty server.
    pub async fn start() -> io::Result<Self> {
        let id = u64::from_le_bytes(random::bytes());
        let folder = std::env::temp_dir().join(format!("innkeeper-redis-{id:016x}"));
        std::fs::create_dir(&folder)?;
        let mut server = Self {
            folder,
            supervisor: None,
        };
        server.resume().await?;
        Ok(server)
    }

    /// The URL of the server, for `REDIS_URL`.
    pub fn url(&self) -> String {
        format!("unix://{}", self.socket().display())
    }

    fn socket(&self) -> PathBuf {
        self.folder.join("socket")
    }

    /// Kills the server; its data is lost.
    pub fn kill(&mut self) -> io::Result<()> {
        if let Some(mut supervisor) = self.supervisor.take() {
            drop(supervisor.stdin.take());
            supervisor.wait()?;
        }
        Ok(())
    }

    /// Starts the server again at the same address, and waits until it responds.
    pub async fn resume(&mut self) -> io::Result<()> {
        self.kill()?;
        let supervisor = Command::new("sh")
            .args([
                "-c",
                SUPERVISOR,
                "sh",
                "redis-server",
                "--port",
                "0",
                "--unixsocket",
            ])
            .arg(self.socket())
            .args(["--save", "", "--appendonly", "no", "--dir"])
            .arg(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        self.supervisor = Some(supervisor);
        let connect = async || UnixStream::connect(self.socket());
        eventually("Redis listens", connect).await;
        Ok(())
    }
}

impl Drop for TestRedis {
    fn drop(&mut self) {
        self.kill().ok();
        std::fs::remove_dir_all(&self.folder).ok();
    }
}
