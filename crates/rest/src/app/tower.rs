//! tower services and functions under a prefix.

use std::future::{Future, poll_fn};
use std::sync::{Mutex, PoisonError};

use bytes::Buf;
use http::uri::{PathAndQuery, Uri};
use http_body::Body as HttpBody;
use tower_service::Service;

use crate::body::Body;
use crate::box_error::BoxError;
use crate::future::BoxFuture;
use crate::pipeline::MountedService;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::response::{IntoReply, ReplyBody, Response};

struct TowerService<S>(Mutex<S>);

pub(super) fn service<S, B>(service: S) -> Box<dyn MountedService>
where
    S: Service<http::Request<Body>, Response = http::Response<B>> + Clone + Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
    B: HttpBody + Send + 'static,
    B::Data: Buf + Send,
    B::Error: Into<BoxError>,
{
    Box::new(TowerService(Mutex::new(service)))
}

impl<S, B> MountedService for TowerService<S>
where
    S: Service<http::Request<Body>, Response = http::Response<B>> + Clone + Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
    B: HttpBody + Send + 'static,
    B::Data: Buf + Send,
    B::Error: Into<BoxError>,
{
    fn call(&self, request: Request, prefix: &str) -> BoxFuture<'static, Response> {
        let mut service = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let mut request = request.into_http();
        *request.uri_mut() = without_prefix(request.uri(), prefix);
        Box::pin(async move {
            let result = async {
                poll_fn(|cx| service.poll_ready(cx)).await?;
                service.call(request).await
            };
            match result.await {
                Ok(response) => {
                    let (parts, body) = response.into_parts();
                    let mut response = Response::foreign(parts, ReplyBody::foreign(body));
                    response.set_as_is();
                    response
                }
                Err(error) => Response::rejected(Rejection::internal(error)),
            }
        })
    }
}

/// Returns the URI that a mounted service sees: `/legacy/a?b` below `/legacy` is `/a?b`.
fn without_prefix(uri: &Uri, prefix: &str) -> Uri {
    let path = uri
        .path()
        .strip_prefix(prefix)
        .filter(|rest| !rest.is_empty())
        .unwrap_or("/");
    let target = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = PathAndQuery::try_from(target).ok();
    Uri::from_parts(parts).unwrap_or_else(|_| uri.clone())
}

struct HandlerFunction<W>(W);

pub(super) fn function<F, W, R>(function: W) -> Box<dyn MountedService>
where
    W: Fn(Request) -> F + Send + Sync + 'static,
    F: Future<Output = R> + Send + 'static,
    R: IntoReply,
{
    Box::new(HandlerFunction(function))
}

impl<F, W, R> MountedService for HandlerFunction<W>
where
    W: Fn(Request) -> F + Send + Sync + 'static,
    F: Future<Output = R> + Send + 'static,
    R: IntoReply,
{
    fn call(&self, request: Request, _: &str) -> BoxFuture<'static, Response> {
        let reply = (self.0)(request);
        Box::pin(async move { reply.await.into_reply() })
    }
}
