//! Items that generated code uses. They are not part of the public API.

pub use std::sync::Arc;

pub use http::header::HeaderName;

pub use crate::autoref;
pub use crate::call::{Call, Dispatch, ErasedResource, OwnedCall, dispatch};
pub use crate::convert::{HeaderList, SeparatedBy, convert};
pub use crate::resource::{RouteFilter, SharedState};
pub use crate::response::{LazyRegex, LocationPart, PathPart, reverse_path};
#[cfg(feature = "openapi")]
pub use crate::route::{ErrorResponses, ReplyConstants, ReturnSchema, Schemas, TypeSchema};
pub use crate::source::{
    EntityInput, FormFields, Input, body_input, body_text, cookie, entity_input, form, form_param,
    header, matrix, param, path, request, value_input,
};
pub use crate::validation::{self, Violations};
#[cfg(feature = "websocket")]
pub use crate::websocket::upgrade;
pub use crate::{__body as body, __entity as entity};
pub use crate::{__check as check, __validate as validate};
#[cfg(feature = "validation")]
pub use crate::{__dive as dive, __length as length};
pub use crate::{__read as read, __read_entity as read_entity, __read_map as read_map};
pub use crate::{__reply as reply, __stream as stream, __value as value};
pub use innkeeper_rest_macros::location_impl;

#[cfg(feature = "validation")]
pub use crate::validation::rules;

use http::StatusCode;

use crate::response::{ApiError, Location, Response};

/// Makes a location whose placeholders were checked at compile time.
pub fn location(parts: &[LocationPart<'_>]) -> Location {
    Location::of(parts)
}

/// Makes the response of a derived error.
pub fn api_error(error: &impl ApiError) -> Response {
    Response::rejected(error.rejection())
}

/// Makes a status that the derive macro has checked.
pub const fn status(code: u16) -> StatusCode {
    match StatusCode::from_u16(code) {
        Ok(status) => status,
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Reads a converted entity as a type.
#[macro_export]
#[doc(hidden)]
macro_rules! __read_entity {
    ($type:ty, $input:expr) => {
        $crate::__private::EntityInput::of($input).read::<$type>()
    };
}
