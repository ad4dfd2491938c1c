//! Socket activation: listeners that were opened by the parent process, as systemd does for a
//! `.socket` unit.

use std::ffi::OsString;
use std::io::{self, ErrorKind};

use listenfd::ListenFd;
use socket2::SockRef;

use super::Server;
use super::error::ServeError;
use super::listener::Listener;

/// A larger number of sockets in the environment is a mistake.
const MAX_SOCKETS: usize = 1024;

impl Server {
    /// Serves on the socket that was passed to this process, if there is one (socket activation).
    ///
    /// `LISTEN_FDS` and `LISTEN_PID` are read as systemd sets them, for TCP and Unix sockets. Call this
    /// once, at the start of `main`: the variables are removed, so that child processes do not take
    /// them for their own.
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
    ///
    /// # Errors
    ///
    /// Fails if several sockets were passed (see [`all_activated`](Self::all_activated)), or if the
    /// socket is not a TCP or Unix listener.
    pub fn activated() -> Result<Option<Self>, ServeError> {
        let mut all = Self::all_activated()?;
        if all.len() > 1 {
            let text = format!("{} sockets were passed, expected one", all.len());
            return Err(listen_error(
                "the activated socket",
                ErrorKind::InvalidInput,
                text,
            ));
        }
        Ok(all.pop().map(|(_, server)| server))
    }

    /// Makes a server for each socket that was passed to this process, with the socket's name.
    ///
    /// systemd names a socket after its `FileDescriptorName=`, or after its unit. A socket without a
    /// name is called `unknown`. The list is empty if no sockets were passed.
    ///
    /// ```no_run
    /// use innkeeper_rest::{ServeError, Server};
    ///
    /// fn admin() -> Result<Option<Server>, ServeError> {
    ///     let mut sockets = Server::all_activated()?.into_iter();
    ///     Ok(sockets.find(|(name, _)| name == "admin").map(|(_, server)| server))
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if `LISTEN_FDS` is malformed, or if a socket is not a TCP or Unix listener.
    pub fn all_activated() -> Result<Vec<(String, Self)>, ServeError> {
        let announced = std::env::var_os("LISTEN_FDS");
        let names = socket_names(std::env::var_os("LISTEN_FDNAMES"));
        if let Some(text) = announced {
            let count = text.to_str().and_then(|text| text.parse::<usize>().ok());
            if count.is_none_or(|count| count > MAX_SOCKETS) {
                let text = format!("`{}` is not a number of sockets", text.display());
                return Err(listen_error("LISTEN_FDS", ErrorKind::InvalidInput, text));
            }
        }
        let mut sockets = ListenFd::from_env();
        (0..sockets.len())
            .map(|index| {
                let name = names.get(index).filter(|name| !name.is_empty());
                let name = name.map_or("unknown", String::as_str);
                let server = take(&mut sockets, index).map_err(|error| {
                    ServeError::Listen(format!("the activated socket `{name}`"), error)
                })?;
                Ok((name.to_owned(), server))
            })
            .collect()
    }
}

fn listen_error(what: &str, kind: ErrorKind, text: String) -> ServeError {
    ServeError::Listen(what.to_owned(), io::Error::new(kind, text))
}

fn socket_names(text: Option<OsString>) -> Vec<String> {
    let text = text.unwrap_or_default();
    let text = text.to_string_lossy();
    text.split(':').map(str::to_owned).collect()
}

fn take(sockets: &mut ListenFd, index: usize) -> io::Result<Server> {
    let taken = || io::Error::new(ErrorKind::InvalidInput, "it was taken already");
    // The kind is checked before the socket is taken, so a socket of another kind stays in place.
    let listener = if let Ok(listener) = sockets.take_tcp_listener(index) {
        Listener::Tcp(listener.ok_or_else(taken)?)
    } else {
        let listener = sockets.take_unix_listener(index).map_err(|_| {
            let text = "it is neither a TCP nor a Unix stream socket";
            io::Error::new(ErrorKind::InvalidInput, text)
        })?;
        Listener::Unix(listener.ok_or_else(taken)?, None)
    };
    let is_listener = match &listener {
        Listener::Tcp(listener) => SockRef::from(listener).is_listener()?,
        Listener::Unix(listener, _) => SockRef::from(listener).is_listener()?,
    };
    if !is_listener {
        let text = "it is a connection, not a listener; set `Accept=no`";
        return Err(io::Error::new(ErrorKind::InvalidInput, text));
    }
    Server::on(listener)
}
