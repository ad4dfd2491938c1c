// The first definition of a link counts: chapters are pages here and files in the repository.
//! [Declaring]: guide::declaring
//! [Sources]: guide::sources
//! [Responses]: guide::responses
//! [Formats]: guide::formats
//! [Errors]: guide::errors
//! [Filters]: guide::filters
//! [Compression]: guide::compression
//! [Server]: guide::server
//! [Transport]: guide::transport
//! [Testing]: guide::testing
//! [Coming from]: guide::coming_from
#![doc = include_str!("../docs/guide.md")]
#![warn(missing_docs)]

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
mod alarm;
mod api;
mod app;
mod body;
mod convert;
mod deferred;
mod error_format;
pub mod filter;
mod format;
pub mod guide;
mod head;
#[doc(hidden)]
pub mod ladder;
mod multipart;
mod rejection;
mod request;
mod resource;
mod response;
mod route;
mod server;
mod source;
pub mod testing;
mod values;

pub use api::RestApi;
pub use app::{App, AppService, RouteError};
pub use body::{Body, BodyError, BoxError};
pub use convert::{Conversion, SeparatedBy};
pub use deferred::Async;
pub use error_format::{ErrorFormat, PlainText, Problem};
pub use filter::{Filter, Next};
pub use format::{ErasedDeserializer, ErasedEntity, Format, quality};
pub use head::Head;
pub use http::header::{HeaderMap, HeaderName, HeaderValue};
pub use http::{Method, StatusCode};
pub use innkeeper_rest_macros::{
    ApiError, body_limit, consumes, delete, detached, filter, get, head, meta, options, patch,
    post, produces, put, resource, responds, route, security, timeout,
};
pub use multipart::{Multipart, Part};
pub use rejection::{FieldError, Rejection};
pub use request::Request;
pub use resource::{Join, Local, Mode, Movable, Resource, Shared};
pub use response::{
    ApiError, IntoReply, IntoStatus, Location, LocationArgs, LocationValue, ReplyBody, ReplyKind,
    Response,
};
pub use route::{
    Argument, Limit, Meta, MetaValue, PathParam, Responds, Returns, Route, Security, Source,
    TypeInfo, Verb,
};
pub use serde_json::Value;
#[cfg(feature = "tls")]
pub use server::{ClientCertificate, Tls, TlsError};
pub use server::{Endpoint, ServeError, Server, Stop};
pub use source::{FromBody, FromBodyText, FromParam, Invalid};
pub use values::Values;

/// A location whose placeholders are checked when it is compiled, for
/// [`Response::created_at`] and [`Response::see`].
///
/// ```
/// use innkeeper_rest::{Response, location};
///
/// let (org, id) = ("north", 7);
/// let response = Response::created_at(location!("/orgs/{org}/users/{id}", org, id), ());
/// assert_eq!(response.location(), Some("/orgs/north/users/7"));
/// let named = location!("/orgs/{org}/users/{id}", id = 7, org = "south");
/// assert_eq!(named.as_str(), "/orgs/south/users/7");
/// ```
///
/// ```compile_fail
/// # use innkeeper_rest::location;
/// location!("/users/{id}"); // no value for `{id}`
/// ```
#[macro_export]
macro_rules! location {
    ($($tokens:tt)*) => {
        $crate::__private::location_impl!($crate; $($tokens)*)
    };
}
