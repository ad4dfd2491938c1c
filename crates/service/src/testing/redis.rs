//! A Redis that one test has to itself.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::random;

/// Starts the server and ends it when the input ends, which it does with the test, however that ends.
const KEEP: &str = r#""$@" >/dev/null 2>&1 & read -r _; kill -9 $!; wait"#;

/// A Redis server on a socket of its own, which ends with the test.
#[derive(Debug)]
pub struct TestRedis {
    folder: PathBuf,
    keeper: Option<Child>,
}

impl TestRedis {
    /// A server with nothing in it.
    pub async fn start() -> io::Result<Self> {
        let id = u64::from_le_bytes(random::bytes());
        let folder = std::env::temp_dir().join(format!("innkeeper-redis-{id:016x}"));
        std::fs::create_dir(&folder)?;
        let mut server = Self {
            folder,
            keeper: None,
        };
        server.resume().await?;
        Ok(server)
    }

    /// Its address, for `REDIS_URL`.
    pub fn url(&self) -> String {
        format!("unix://{}", self.socket().display())
    }

    fn socket(&self) -> PathBuf {
        self.folder.join("socket")
    }

    /// Ends the server at once, with all it knows.
    pub fn kill(&mut self) -> io::Result<()> {
        if let Some(mut keeper) = self.keeper.take() {
            drop(keeper.stdin.take());
            keeper.wait()?;
        }
        Ok(())
    }

    /// Starts the server again at the same address, and waits until it answers.
    pub async fn resume(&mut self) -> io::Result<()> {
        self.kill()?;
        let keeper = Command::new("sh")
            .args([
                "-c",
                KEEP,
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
        self.keeper = Some(keeper);
        let start = Instant::now();
        while let Err(error) = UnixStream::connect(self.socket()) {
            if start.elapsed() > Duration::from_mins(1) {
                return Err(error);
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Ok(())
    }
}

impl Drop for TestRedis {
    fn drop(&mut self) {
        self.kill().ok();
        std::fs::remove_dir_all(&self.folder).ok();
    }
}
