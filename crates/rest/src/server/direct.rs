//! TCP sockets without the C library between them and the kernel.
//!
//! In a program with several threads every `recv` and `send` of that library is a place where a thread may
//! be cancelled, and says so before and after. Nobody here cancels threads.

use std::io;
use std::task::{Context, Poll, ready};

use rustix::buffer::spare_capacity;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use tokio::io::Interest;
use tokio::net::TcpStream;

/// Reads into the room that is left in a buffer.
pub(super) fn poll_receive(
    stream: &TcpStream,
    cx: &mut Context<'_>,
    buffer: &mut Vec<u8>,
) -> Poll<io::Result<usize>> {
    loop {
        let room = buffer.capacity() - buffer.len();
        let read = once(stream, Interest::READABLE, room, || {
            recv(stream, spare_capacity(buffer), RecvFlags::empty()).map(|(count, _)| count)
        });
        if let Some(outcome) = read {
            return Poll::Ready(outcome);
        }
        ready!(stream.poll_read_ready(cx))?;
    }
}

/// Writes as much as the socket takes.
pub(super) fn poll_transmit(
    stream: &TcpStream,
    cx: &mut Context<'_>,
    bytes: &[u8],
) -> Poll<io::Result<usize>> {
    loop {
        ready!(stream.poll_write_ready(cx))?;
        let written = once(stream, Interest::WRITABLE, bytes.len(), || {
            send(stream, bytes, SendFlags::NOSIGNAL)
        });
        if let Some(outcome) = written {
            return Poll::Ready(outcome);
        }
    }
}

/// Calls the kernel; nothing comes of it if the socket was not ready after all.
fn once(
    stream: &TcpStream,
    interest: Interest,
    most: usize,
    call: impl FnOnce() -> rustix::io::Result<usize>,
) -> Option<io::Result<usize>> {
    let mut done = None;
    let outcome = stream.try_io(interest, || {
        let count = *done.insert(call()?);
        // What was less than it could have been was all there is. The runtime forgets that the socket
        // is ready, and asking once more, in vain, is spared.
        if (1..most).contains(&count) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(())
    });
    match (done, outcome) {
        (Some(count), _) => Some(Ok(count)),
        (None, Err(error)) if error.kind() != io::ErrorKind::WouldBlock => Some(Err(error)),
        (None, _) => None,
    }
}
