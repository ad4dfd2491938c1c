//! Waiting for what happens in the background.
//!
//! The tests of crates that do not depend on this one include the file.

use std::fmt::{Debug, Display};
use std::time::Duration;

use tokio::time::{sleep, timeout};

/// Longer than anything takes that a test waits for, however slow the machine is, so that a failing test ends.
const PATIENCE: Duration = Duration::from_mins(2);

/// How long to wait between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// What a look at something finds: whether it is so, or what is there.
///
/// An error says what is there instead; the last one is shown when the wait is given up.
pub trait Look {
    /// What is there in the end.
    type Found;

    /// Returns what is there, or what the look saw instead.
    fn found(self) -> Result<Self::Found, String>;
}

impl Look for bool {
    type Found = ();

    fn found(self) -> Result<(), String> {
        self.then_some(()).found()
    }
}

impl<T> Look for Option<T> {
    type Found = T;

    fn found(self) -> Result<T, String> {
        self.ok_or_else(String::new)
    }
}

impl<T, E: Debug> Look for Result<T, E> {
    type Found = T;

    fn found(self) -> Result<T, String> {
        self.map_err(|seen| format!(": {seen:?}"))
    }
}

/// Looks again and again until something is so or is there, and returns it.
///
/// ```
/// # use innkeeper_service::testing::eventually;
/// # async fn waits(port: std::net::SocketAddr) {
/// let connect = async || tokio::net::TcpStream::connect(port).await;
/// let connection = eventually("the server listens", connect).await;
/// # }
/// ```
///
/// # Panics
///
/// When it has not come within two minutes, with its name.
pub async fn eventually<L: Look>(what: impl Display, mut look: impl AsyncFnMut() -> L) -> L::Found {
    let mut seen = String::new();
    let looking = async {
        loop {
            match look().await.found() {
                Ok(found) => return found,
                Err(instead) => seen = instead,
            }
            sleep(PAUSE).await;
        }
    };
    let found = timeout(PATIENCE, looking).await;
    #[expect(clippy::panic, reason = "a wait of a test fails like the test")]
    found.unwrap_or_else(|_| panic!("it never came true that {what}{seen}"))
}
