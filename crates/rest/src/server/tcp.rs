//! Reads from and writes to TCP sockets without the C library.
//!
//! In a program with several threads every `recv` and `send` of the C library is a cancellation point
//! and does the bookkeeping for it. Nobody here cancels threads.

use std::io;
use std::task::{Context, Poll, ready};

use rustix::buffer::spare_capacity;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use tokio::io::Interest;
use tokio::net::TcpStream;

/// Reads into the spare capacity of a buffer.
pub(super) fn poll_receive(
    stream: &TcpStream,
    cx: &mut Context<'_>,
    buffer: &mut Vec<u8>,
) -> Poll<io::Result<usize>> {
    loop {
        let room = buffer.capacity() - buffer.len();
        let read = try_call(stream, Interest::READABLE, room, || {
            recv(stream, spare_capacity(buffer), RecvFlags::empty()).map(|(count, _)| count)
        });
        if let Some(result) = read {
            return Poll::Ready(result);
        }
        ready!(stream.poll_read_ready(cx))?;
    }
}

/// Writes as much as the socket takes.
pub(super) fn poll_send(
    stream: &TcpStream,
    cx: &mut Context<'_>,
    bytes: &[u8],
) -> Poll<io::Result<usize>> {
    loop {
        ready!(stream.poll_write_ready(cx))?;
        let written = try_call(stream, Interest::WRITABLE, bytes.len(), || {
            send(stream, bytes, SendFlags::NOSIGNAL)
        });
        if let Some(result) = written {
            return Poll::Ready(result);
        }
    }
}

/// Makes a system call; `None` if the socket was not ready after all.
fn try_call(
    stream: &TcpStream,
    interest: Interest,
    requested: usize,
    call: impl FnOnce() -> rustix::io::Result<usize>,
) -> Option<io::Result<usize>> {
    let mut transferred = None;
    let result = stream.try_io(interest, || {
        let count = *transferred.insert(call()?);
        // A call that transfers less than requested has exhausted the socket. With `WouldBlock` the
        // runtime clears its readiness, which spares the next call that would fail.
        if (1..requested).contains(&count) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(())
    });
    match (transferred, result) {
        (Some(count), _) => Some(Ok(count)),
        (None, Err(error)) if error.kind() != io::ErrorKind::WouldBlock => Some(Err(error)),
        (None, _) => None,
    }
}
