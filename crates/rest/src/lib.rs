// The first definition of a link counts: chapters are pages here and files in the repository.
//! [Declaring]: guide::declaring
//! [Sources]: guide::sources
//! [Responses]: guide::responses
//! [Caching]: guide::caching
//! [Files]: guide::files
//! [Paging]: guide::paging
//! [Formats]: guide::formats
//! [Validation]: guide::validation
//! [Errors]: guide::errors
//! [Filters]: guide::filters
//! [Compression]: guide::compression
//! [OpenAPI]: guide::openapi
//! [Events]: guide::events
//! [Websockets]: guide::websockets
//! [Server]: guide::server
//! [Transport]: guide::transport
//! [Testing]: guide::testing
//! [Coming from]: guide::coming_from
#![doc = include_str!("../docs/guide.md")]
#![warn(missing_docs)]

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
mod api;
mod app;
#[doc(hidden)]
pub mod autoref;
mod body;
mod box_error;
mod call;
mod coding;
mod conditional;
mod convert;
mod deferred;
mod error_format;
mod events;
mod files;
pub mod filter;
mod format;
mod future;
pub mod guide;
mod head;
mod multipart;
#[cfg(feature = "openapi")]
mod openapi;
mod paging;
mod pipeline;
#[cfg(feature = "compression")]
mod prepared;
mod range;
mod rejection;
mod request;
mod resource;
mod response;
mod route;
mod runtime;
mod server;
mod source;
mod syntax;
pub mod testing;
#[doc(hidden)]
pub mod validation;
#[cfg(feature = "websocket")]
mod websocket;

pub use api::RestApi;
pub use app::{App, AppService, RouteError};
pub use body::{Body, BodyError};
pub use box_error::BoxError;
pub use coding::Coding;
pub use conditional::{ETag, PreconditionOutcome, Preconditions, Validators};
pub use convert::{Conversion, SeparatedBy};
pub use deferred::Async;
pub use error_format::{ErrorFormat, PlainText, Problem};
pub use events::{Event, Events, IntoEvent, LastEventId};
pub use files::{Files, open_beneath};
#[cfg(feature = "cbor")]
pub use format::Cbor;
#[cfg(feature = "msgpack")]
pub use format::MessagePack;
pub use format::{ErasedDeserializer, ErasedEntity, Format, quality};
pub use head::{Head, HeaderKey};
pub use http::header::{HeaderMap, HeaderName, HeaderValue};
pub use http::{Method, StatusCode};
pub use innkeeper_rest_macros::{
    ApiError, body_limit, consumes, delete, detached, filter, get, head, meta, options, patch,
    post, produces, put, resource, responds, route, security, timeout,
};
pub use multipart::{Multipart, Part};
#[cfg(feature = "openapi")]
pub use openapi::{OpenApi, SecurityScheme};
pub use paging::{CursorPage, Page, Paging};
pub use pipeline::{Filter, Next};
#[cfg(feature = "compression")]
pub use prepared::PreparedResponse;
pub use rejection::{FieldError, Invalid, Rejection, RejectionKind};
pub use request::{Request, Values};
pub use resource::{Join, Local, Mode, Movable, Resource, Shared};
pub use response::{
    ApiError, IntoReply, IntoStatus, Location, LocationArgs, LocationValue, PathValue,
    ReadyHeaders, ReplyBody, Response, Unnegotiated,
};
pub use route::{
    Argument, Bounds, Limit, Meta, MetaValue, PathParam, ReplyKind, Responds, Returns, Route,
    RouteAt, Security, Source, TypeInfo, Verb,
};
pub use runtime::Stop;
pub use serde_json::Value;
#[cfg(feature = "tls")]
pub use server::{ClientCertificate, Tls, TlsError};
pub use server::{Endpoint, ServeError, Server};
pub use source::{FromBody, FromBodyText, FromParam};
#[cfg(feature = "websocket")]
pub use websocket::{Close, Closed, FromUpgrade, Message, Origins, Socket, Text, Upgrade};

/// Makes a location whose placeholders are checked at compile time, for
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
