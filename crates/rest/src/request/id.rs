//! The id of a request.

use std::fmt;

use http::header::HeaderValue;

/// The id of a request, set by [`RequestIds`](crate::filter::RequestIds) for `#[value]`.
///
/// ```
/// use innkeeper_rest::filter::RequestId;
/// use innkeeper_rest::resource;
///
/// struct Me;
///
/// #[resource("/me")]
/// impl Me {
///     #[get]
///     fn show(&self, #[value] id: RequestId) -> String {
///         id.to_string()
///     }
/// }
/// ```
#[derive(Clone)]
pub struct RequestId(IdText);

#[derive(Clone)]
enum IdText {
    /// Hexadecimal digits.
    Generated([u8; RequestId::GENERATED_LENGTH]),
    /// A header of the request: ASCII letters, digits and a few signs.
    Received(HeaderValue),
}

impl RequestId {
    /// The length of generated ids.
    pub(crate) const GENERATED_LENGTH: usize = 32;

    /// Wraps a generated id, which is ASCII.
    pub(crate) fn generated(digits: [u8; Self::GENERATED_LENGTH]) -> Self {
        Self(IdText::Generated(digits))
    }

    /// Wraps the value of a header, unless it is too long or has characters that ids do not have.
    pub(crate) fn received(value: &HeaderValue) -> Option<Self> {
        is_valid(value).then(|| Self(IdText::Received(value.clone())))
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            IdText::Generated(digits) => digits,
            IdText::Received(value) => value.as_bytes(),
        }
    }
}

fn is_valid(id: &HeaderValue) -> bool {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.:/+=".contains(byte);
    !id.is_empty() && id.len() <= 128 && id.as_bytes().iter().all(allowed)
}

impl PartialEq for RequestId {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for RequestId {}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RequestId").field(&self.as_str()).finish()
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
