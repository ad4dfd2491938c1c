//! The body of a response as hyper sends it.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Buf;
use http_body::{Body as HttpBody, Frame, SizeHint};

use super::stream_tasks::{WaitsFor, stream_waits_for};
use crate::box_error::BoxError;
use crate::response::{Payload, ReplyBody};

/// A [`ReplyBody`] for our own transport, which takes payloads without a copy.
#[derive(Debug)]
pub(super) struct WireBody(pub(super) ReplyBody);

impl HttpBody for WireBody {
    type Data = PayloadBuf;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<PayloadBuf>, BoxError>>> {
        if let Some(piece) = self.0.take_piece() {
            stream_waits_for(WaitsFor::Client);
            return Poll::Ready(Some(Ok(Frame::data(piece.into()))));
        }
        let next = Pin::new(&mut self.0).poll_frame(cx);
        stream_waits_for(match next {
            Poll::Ready(_) => WaitsFor::Client,
            Poll::Pending => WaitsFor::Server,
        });
        let next = ready!(next);
        let chunk = |bytes| PayloadBuf::from(Payload::Bytes(bytes));
        Poll::Ready(next.map(|frame| frame.map(|frame| frame.map_data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

/// A payload that is being written to a socket.
#[derive(Debug)]
pub(super) struct PayloadBuf {
    payload: Payload,
    sent: usize,
}

impl From<Payload> for PayloadBuf {
    fn from(payload: Payload) -> Self {
        Self { payload, sent: 0 }
    }
}

impl Buf for PayloadBuf {
    fn remaining(&self) -> usize {
        self.payload.as_slice().len() - self.sent
    }

    fn chunk(&self) -> &[u8] {
        self.payload.as_slice().get(self.sent..).unwrap_or_default()
    }

    fn advance(&mut self, count: usize) {
        self.sent += count.min(self.remaining());
    }
}
