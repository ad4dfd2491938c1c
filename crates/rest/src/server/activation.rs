//! Sockets that somebody else has opened for us, as systemd does for a `.socket` unit.

use std::ffi::OsString;
use std::io::{self, ErrorKind};

use listenfd::ListenFd;
use socket2::SockRef;

use super::listener::Listener;
use super::{ServeError, Server};

/// More sockets than anybody passes: a larger number in the environment is a mistake.
const MOST: usize = 1024;

impl Server {
    /// Serves the one socket this process was started with, if it was started with one.
    ///
    /// This is socket activation: `LISTEN_FDS` and `LISTEN_PID` are read as systemd sets them, for TCP
    /// and Unix sockets. Call it once, first thing in `main`: the variables are removed, so that child
    /// processes do not take them for their own. Where there are several sockets, it is an error;
    /// see [`all_activated`](Self::all_activated).
    ///
    /// ```no_run
    /// use innkeeper_rest::{ServeError, Server};
    ///
    /// fn server() -> Result<Server, ServeError> {
    ///     match Server::activated()? {
    ///         Some(server) => Ok(server),
    ///         None => Server::bind("127.0.0.1:8080"),
    ///     }
    /// }
    /// ```
    pub fn activated() -> Result<Option<Self>, ServeError> {
        let mut all = Self::all_activated()?;
        if all.len() > 1 {
            let text = format!("there are {} sockets, and one is served", all.len());
            return Err(failed(
                "the activated socket",
                ErrorKind::InvalidInput,
                text,
            ));
        }
        Ok(all.pop().map(|(_, server)| server))
    }

    /// Serves all sockets this process was started with, each with its name.
    ///
    /// systemd calls a socket by its `FileDescriptorName=`, or by its unit. One that was not named is
    /// called `unknown`. Empty if the process was started in another way.
    ///
    /// ```no_run
    /// use innkeeper_rest::{ServeError, Server};
    ///
    /// fn admin() -> Result<Option<Server>, ServeError> {
    ///     let mut sockets = Server::all_activated()?.into_iter();
    ///     Ok(sockets.find(|(name, _)| name == "admin").map(|(_, server)| server))
    /// }
    /// ```
    pub fn all_activated() -> Result<Vec<(String, Self)>, ServeError> {
        let announced = std::env::var_os("LISTEN_FDS");
        let names = names(std::env::var_os("LISTEN_FDNAMES"));
        if let Some(text) = announced {
            let count = text.to_str().and_then(|text| text.parse::<usize>().ok());
            if count.is_none_or(|count| count > MOST) {
                let text = format!("`{}` is no number of sockets", text.display());
                return Err(failed("LISTEN_FDS", ErrorKind::InvalidInput, text));
            }
        }
        let mut passed = ListenFd::from_env();
        (0..passed.len())
            .map(|index| {
                let name = names.get(index).filter(|name| !name.is_empty());
                let name = name.map_or("unknown", String::as_str);
                let server = take(&mut passed, index).map_err(|error| {
                    ServeError::Listen(format!("the activated socket `{name}`"), error)
                })?;
                Ok((name.to_owned(), server))
            })
            .collect()
    }
}

fn failed(what: &str, kind: ErrorKind, text: String) -> ServeError {
    ServeError::Listen(what.to_owned(), io::Error::new(kind, text))
}

fn names(text: Option<OsString>) -> Vec<String> {
    let text = text.unwrap_or_default();
    let text = text.to_string_lossy();
    text.split(':').map(str::to_owned).collect()
}

fn take(passed: &mut ListenFd, index: usize) -> io::Result<Server> {
    let nothing = || io::Error::new(ErrorKind::InvalidInput, "it was taken already");
    // Checks what it is before it takes it, so one that is neither is left where it was.
    let listener = if let Ok(listener) = passed.take_tcp_listener(index) {
        Listener::Tcp(listener.ok_or_else(nothing)?)
    } else {
        let listener = passed.take_unix_listener(index).map_err(|_| {
            let text = "it is neither a TCP nor a Unix stream socket";
            io::Error::new(ErrorKind::InvalidInput, text)
        })?;
        Listener::Unix(listener.ok_or_else(nothing)?, None)
    };
    let listens = match &listener {
        Listener::Tcp(listener) => SockRef::from(listener).is_listener()?,
        Listener::Unix(listener, _) => SockRef::from(listener).is_listener()?,
    };
    if !listens {
        let text = "it is a connection, not a listener; `Accept=no` is needed";
        return Err(io::Error::new(ErrorKind::InvalidInput, text));
    }
    Server::on(listener)
}
