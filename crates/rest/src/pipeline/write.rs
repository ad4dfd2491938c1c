//! Writes the responses of handlers and filters: entities, rejections and locations.

use std::task::Poll;

use http::header::LOCATION;

use super::core::{Core, Scope};
use crate::conditional;
use crate::error_format::{ErrorFormat as _, Problem};
use crate::format::Output;
use crate::future::{Panicked, catch_panic};
use crate::head::Head;
use crate::range;
use crate::rejection::Rejection;
use crate::response::{Content, Response};

impl Core {
    pub(super) fn write(
        &self,
        mut response: Response,
        head: &Head,
        scope: &Scope,
        output: Output,
    ) -> Response {
        self.complete(&mut response, head, scope, output);
        response
    }

    /// Writes the parts of a response that are not bytes yet: an entity in the negotiated format, a
    /// rejection in the mount's error format, a location with the mount's prefix.
    pub(super) fn complete(
        &self,
        response: &mut Response,
        head: &Head,
        scope: &Scope,
        output: Output,
    ) {
        if response.take_pending_conditions() {
            response.set_vary_if(output.vary && response.is_negotiated());
            conditional::apply(response, head);
        }
        match response.content() {
            Content::Bytes(_) => response.set_vary_if(output.vary),
            Content::Empty | Content::Stream(..) | Content::Seekable(..) | Content::Foreign(_) => {}
            Content::Events(_) => self.begin_events(response),
            Content::Entity(_)
            | Content::Rejected(_)
            | Content::Fault(_)
            | Content::Deferred(_) => {
                let unwritten = std::mem::replace(response, Response::ok());
                *response = Self::write_guarded(unwritten, head, scope, output);
            }
        }
        if response.take_pending_ranges() {
            range::apply(response, head);
            if matches!(response.content(), Content::Rejected(_)) {
                let unwritten = std::mem::replace(response, Response::ok());
                *response = Self::write_guarded(unwritten, head, scope, output);
            }
        }
        if let Some(location) = response.take_location() {
            let text = location.as_str();
            let value = if location.is_below_mount() && !scope.prefix.is_empty() {
                format!("{}{text}", scope.prefix).try_into()
            } else {
                text.try_into()
            };
            if let Ok(value) = value {
                response.fields_mut().insert(LOCATION, value);
            }
        }
    }

    /// Makes a stream of events end when the server stops, because it may never end by itself.
    fn begin_events(&self, response: &mut Response) {
        if let Content::Events(mut events) = response.take_content() {
            events.end_on_shutdown(&self.ending);
            response.set_content(Content::Stream(events, None));
        }
    }

    /// Writes content and catches panics: entities and error formats are code of the application.
    fn write_guarded(response: Response, head: &Head, scope: &Scope, output: Output) -> Response {
        let write = || Poll::Ready(Self::write_content(response, head, scope, output));
        if let Poll::Ready(Ok(written)) = catch_panic(write) {
            return written;
        }
        let internal = Rejection::internal(Panicked);
        let refuse = || Poll::Ready(Self::refuse(&internal, Response::ok(), head, scope));
        match catch_panic(refuse) {
            Poll::Ready(Ok(written)) => written,
            _ => Self::refuse_plainly(head),
        }
    }

    fn write_content(
        mut response: Response,
        head: &Head,
        scope: &Scope,
        output: Output,
    ) -> Response {
        match response.take_content() {
            Content::Entity(entity) => {
                // Errors are sent whatever the client accepts, and so is an entity that has a type.
                let is_own = response.has_content_type() || !response.status_code().is_success();
                let output = if is_own {
                    output.refused_if(false)
                } else {
                    output
                };
                match output.write_erased(&scope.formats, &*entity) {
                    Ok((content_type, bytes)) => {
                        if !response.has_content_type() {
                            response.set_content_type(content_type);
                        }
                        response.set_content(Content::Bytes(bytes));
                        response.set_vary_if(output.vary);
                        response
                    }
                    Err(rejection) => Self::refuse(&rejection, Response::ok(), head, scope),
                }
            }
            Content::Rejected(rejection) | Content::Fault(rejection) => {
                Self::refuse(&rejection, response, head, scope)
            }
            other => {
                response.set_content(other);
                response
            }
        }
    }

    /// Writes a rejection in the mount's error format, and logs it if it is a server error.
    fn refuse(
        rejection: &Rejection,
        mut response: Response,
        head: &Head,
        scope: &Scope,
    ) -> Response {
        if rejection.status().is_server_error() {
            tracing::error!(
                http.method = %head.method(),
                http.path = head.path(),
                http.status = rejection.status().as_u16(),
                cause = rejection.cause().map(tracing::field::display),
                "{}",
                rejection.message()
            );
        }
        response.set_status(rejection.status());
        for (name, value) in rejection.headers() {
            response.fields_mut().insert(name.clone(), value.clone());
        }
        let mut written = scope.errors.write(rejection, head, response);
        let failure = match written.take_content() {
            Content::Entity(entity) => match Output::JSON.write_erased(&scope.formats, &*entity) {
                Ok((content_type, bytes)) => {
                    if !written.has_content_type() {
                        written.set_content_type(content_type);
                    }
                    written.set_content(Content::Bytes(bytes));
                    return written;
                }
                Err(failure) => failure,
            },
            Content::Rejected(failure) | Content::Fault(failure) => failure,
            other => {
                written.set_content(other);
                return written;
            }
        };
        // The format itself has failed; writing this failure with it would fail again.
        tracing::error!(
            http.path = head.path(),
            cause = failure.cause().map(tracing::field::display),
            "the error format failed to write: {failure}"
        );
        Self::refuse_plainly(head)
    }

    /// Writes the response for a mount whose error format failed.
    fn refuse_plainly(head: &Head) -> Response {
        let internal = Rejection::internal("the error format failed to write");
        Problem.write(&internal, head, Response::status(internal.status()))
    }
}
