//! Files mounted under a prefix of an application.

use std::sync::Arc;

use http::Method;
use http::header::{ALLOW, HeaderValue};

use super::Files;
use super::request_path::RequestedPath;
use crate::future::BoxFuture;
use crate::pipeline::MountedService;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::Response;

const ALLOWED_METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// Serves files below a prefix.
pub(crate) struct MountedFiles(Arc<Files>);

impl MountedFiles {
    pub(crate) fn new(files: Files) -> Self {
        Self(Arc::new(files))
    }
}

/// Answers methods other than GET and HEAD.
fn other_method(method: &Method) -> Option<Response> {
    match *method {
        Method::GET | Method::HEAD => None,
        Method::OPTIONS => {
            let mut response = Response::no_content();
            response.fields_mut().insert(ALLOW, ALLOWED_METHODS);
            Some(response)
        }
        _ => {
            let rejection = Rejection::method_not_allowed(ALLOWED_METHODS);
            Some(Response::rejected(rejection))
        }
    }
}

impl MountedService for MountedFiles {
    fn call(&self, request: Request, prefix: &str) -> BoxFuture<'static, Response> {
        let path = request.path();
        let path = path.strip_prefix(prefix).unwrap_or(path);
        let Some(path) = RequestedPath::parse(path, self.0.hidden) else {
            return Box::pin(std::future::ready(Response::not_found()));
        };
        if let Some(response) = other_method(request.method()) {
            return Box::pin(std::future::ready(response));
        }
        let files = Arc::clone(&self.0);
        if let Some(response) = files.try_respond(&path, request.head()) {
            return Box::pin(std::future::ready(response));
        }
        let task = tokio::task::spawn_blocking(move || files.respond(&path, request.head()));
        Box::pin(async move {
            let joined = task.await;
            joined.unwrap_or_else(|error| Response::rejected(Rejection::internal(error)))
        })
    }

    fn problems(&self) -> &[String] {
        &self.0.problems
    }
}
