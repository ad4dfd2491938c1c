//! Multipart bodies, streamed part by part.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;
use http::header::CONTENT_TYPE;

use crate::body::{Body, BodyError};
use crate::head::Head;
use crate::rejection::Rejection;

/// A `multipart/form-data` body: fields and uploaded files, streamed.
///
/// ```
/// use innkeeper_rest::{Multipart, Rejection};
///
/// async fn total(mut upload: Multipart) -> Result<u64, Rejection> {
///     let mut size = 0;
///     while let Some(mut part) = upload.next_part().await? {
///         while let Some(chunk) = part.next_chunk().await? {
///             size += chunk.len() as u64;
///         }
///     }
///     Ok(size)
/// }
/// ```
pub struct Multipart {
    parts: multer::Multipart<'static>,
}

/// One part of a [`Multipart`] body.
///
/// ```
/// use innkeeper_rest::{Multipart, Rejection};
///
/// async fn names(mut upload: Multipart) -> Result<Vec<String>, Rejection> {
///     let mut names = Vec::new();
///     while let Some(part) = upload.next_part().await? {
///         if part.file_name().is_none() {
///             names.push(format!("{:?}", part.name()));
///         }
///     }
///     Ok(names)
/// }
/// ```
pub struct Part {
    field: multer::Field<'static>,
}

impl Multipart {
    /// Reads parts from this body; the head has the boundary.
    ///
    /// # Errors
    ///
    /// 415 if the content type is not `multipart/form-data`, 400 if it has no boundary.
    pub fn new(head: &Head, body: Body) -> Result<Self, Rejection> {
        let content_type = head.header_text(CONTENT_TYPE).unwrap_or_default();
        let boundary = multer::parse_boundary(content_type).map_err(|_| {
            if content_type
                .to_ascii_lowercase()
                .starts_with("multipart/form-data")
            {
                Rejection::malformed_body("the content type has no multipart boundary")
            } else {
                Rejection::unsupported_media_type(content_type, "multipart/form-data")
            }
        })?;
        Ok(Self {
            parts: multer::Multipart::new(PausingBody::new(body), boundary),
        })
    }

    /// Returns the next part, or `None` after the last one.
    ///
    /// # Errors
    ///
    /// The rejection of a body that is malformed, too large or too slow.
    pub async fn next_part(&mut self) -> Result<Option<Part>, Rejection> {
        let next = self.parts.next_field().await.map_err(refuse)?;
        Ok(next.map(|field| Part { field }))
    }

    /// Returns the names and texts of all parts that are not files. Files are skipped.
    pub(crate) async fn text_fields(mut self) -> Result<Vec<(String, String)>, Rejection> {
        let mut fields = Vec::new();
        while let Some(part) = self.next_part().await? {
            if part.file_name().is_some() {
                continue;
            }
            let Some(name) = part.name().map(str::to_owned) else {
                continue;
            };
            fields.push((name, part.text().await?));
        }
        Ok(fields)
    }
}

impl Part {
    /// Returns the name of the form field.
    pub fn name(&self) -> Option<&str> {
        self.field.name()
    }

    /// Returns the name that the file has on the client, if this is a file. Never use it as a path.
    pub fn file_name(&self) -> Option<&str> {
        self.field.file_name()
    }

    /// Returns the content type, if one was sent.
    pub fn content_type(&self) -> Option<&str> {
        self.field.headers().get(CONTENT_TYPE)?.to_str().ok()
    }

    /// Returns the next chunk, or `None` at the end of the part.
    ///
    /// # Errors
    ///
    /// The rejection of a body that is malformed, too large or too slow.
    pub async fn next_chunk(&mut self) -> Result<Option<Bytes>, Rejection> {
        self.field.chunk().await.map_err(refuse)
    }

    /// Reads the rest of the part.
    ///
    /// # Errors
    ///
    /// The rejection of a body that is malformed, too large or too slow.
    pub async fn bytes(self) -> Result<Bytes, Rejection> {
        self.field.bytes().await.map_err(refuse)
    }

    /// Reads the rest of the part as UTF-8 text.
    ///
    /// # Errors
    ///
    /// Those of [`bytes`](Self::bytes), and 400 if it is not UTF-8.
    pub async fn text(self) -> Result<String, Rejection> {
        let bytes = self.bytes().await?;
        String::from_utf8(bytes.into())
            .map_err(|_| Rejection::malformed_body("a form field is not UTF-8 text"))
    }
}

/// A body that pauses after every chunk.
///
/// multer buffers chunks for as long as they are ready before it returns one. A client that sends
/// faster than the handler writes would fill the memory.
struct PausingBody {
    body: Body,
    is_pausing: bool,
}

impl PausingBody {
    fn new(body: Body) -> Self {
        Self {
            body,
            is_pausing: false,
        }
    }
}

impl Stream for PausingBody {
    type Item = Result<Bytes, BodyError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if std::mem::take(&mut self.is_pausing) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let next = ready!(Pin::new(&mut self.body).poll_next(cx));
        self.is_pausing = matches!(next, Some(Ok(_)));
        Poll::Ready(next)
    }
}

/// Converts an error of multer; a rejection by the body itself comes through unchanged.
fn refuse(error: multer::Error) -> Rejection {
    match error {
        multer::Error::StreamReadFailed(cause) => match cause.downcast::<BodyError>() {
            Ok(error) => (*error).into(),
            Err(_) => Rejection::malformed_body("the body ended early"),
        },
        other => Rejection::malformed_body(format!("malformed multipart body: {other}")),
    }
}

impl fmt::Debug for Multipart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Multipart")
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part")
            .field("name", &self.name())
            .field("file_name", &self.file_name())
            .finish_non_exhaustive()
    }
}
