//! tower in both directions: services under a prefix, and an application as a service.

use std::convert::Infallible;
use std::fmt;
use std::future::{Future, poll_fn};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use futures_core::Stream;
use http::uri::{PathAndQuery, Uri};
use http_body::Body as HttpBody;
use tower_service::Service;

use super::Core;
use super::finish;
use crate::body::{Body, BoxError};
use crate::head::Head;
use crate::rejection::Rejection;
use crate::request::Request;
use crate::resource::{BoxFuture, Mode, Shared};
use crate::response::{IntoReply, ReplyBody, Response};

/// A service or function under a prefix.
pub(crate) trait AnyService: Send + Sync {
    fn call(&self, request: Request, prefix: &str) -> BoxFuture<'static, Response>;

    /// What keeps it from being served.
    fn problems(&self) -> &[String] {
        &[]
    }
}

struct Tower<S>(Mutex<S>);

pub(super) fn tower<S, B>(service: S) -> Box<dyn AnyService>
where
    S: Service<http::Request<Body>, Response = http::Response<B>> + Clone + Send + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
    B: HttpBody + Send + 'static,
    B::Data: Buf + Send,
    B::Error: Into<BoxError>,
{
    Box::new(Tower(Mutex::new(service)))
}

impl<S, B> AnyService for Tower<S>
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

/// The address a mounted service sees: `/legacy/a?b` below `/legacy` is `/a?b`.
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

struct Function<W>(W);

pub(super) fn function<F, W, R>(work: W) -> Box<dyn AnyService>
where
    W: Fn(Request) -> F + Send + Sync + 'static,
    F: Future<Output = R> + Send + 'static,
    R: IntoReply,
{
    Box::new(Function(work))
}

impl<F, W, R> AnyService for Function<W>
where
    W: Fn(Request) -> F + Send + Sync + 'static,
    F: Future<Output = R> + Send + 'static,
    R: IntoReply,
{
    fn call(&self, request: Request, _: &str) -> BoxFuture<'static, Response> {
        let work = (self.0)(request);
        Box::pin(async move { work.await.into_reply() })
    }
}

/// An application that is ready to serve: a tower service, cheap to clone.
///
/// ```
/// use innkeeper_rest::{App, RestApi, resource};
/// # struct Health;
/// # #[resource("/health")]
/// # impl Health {
/// #     #[get]
/// #     fn check(&self) -> &'static str { "well" }
/// # }
/// let service = App::new().mount("/", RestApi::new(Health)).build().unwrap();
/// // Anything that serves tower services can serve it now.
/// let _: &dyn tower::Service<http::Request<String>, Response = _, Error = _, Future = _> = &service;
/// ```
pub struct AppService<M: Mode = Shared> {
    core: Arc<Core>,
    mode: PhantomData<M>,
}

impl<M: Mode> AppService<M> {
    pub(super) fn new(core: Arc<Core>) -> Self {
        Self {
            core,
            mode: PhantomData,
        }
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// Answers a request of any transport.
    pub(crate) async fn answer(&self, mut request: Request) -> http::Response<ReplyBody> {
        let response = self.core.answer(&mut request).await;
        finish(request.method(), response).into_http(|body| body)
    }
}

impl<M: Mode> Clone for AppService<M> {
    fn clone(&self) -> Self {
        Self {
            core: Arc::clone(&self.core),
            mode: PhantomData,
        }
    }
}

impl<M: Mode> fmt::Debug for AppService<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AppService").field(&self.core).finish()
    }
}

impl<M: Mode, B> Service<http::Request<B>> for AppService<M>
where
    B: HttpBody + Send + 'static,
    B::Data: Buf,
    B::Error: Into<BoxError>,
{
    type Response = http::Response<ReplyBody>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let this = self.clone();
        let (mut parts, body) = request.into_parts();
        let values = std::mem::take(&mut parts.extensions);
        let body = if body.is_end_stream() {
            Body::empty()
        } else {
            Body::from_stream(Chunks { body })
        };
        let mut request = Request::new(Head::from_hyper(parts), body);
        request.values_mut().replace_typed(values);
        Box::pin(async move { Ok(this.answer(request).await) })
    }
}

pin_project_lite::pin_project! {
    /// Somebody else's body as a stream of chunks.
    struct Chunks<B> {
        #[pin]
        body: B,
    }
}

impl<B> Stream for Chunks<B>
where
    B: HttpBody,
    B::Data: Buf,
    B::Error: Into<BoxError>,
{
    type Item = Result<Bytes, BoxError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match ready!(self.as_mut().project().body.poll_frame(cx)) {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(error.into()))),
                Some(Ok(frame)) => {
                    if let Ok(mut data) = frame.into_data() {
                        return Poll::Ready(Some(Ok(data.copy_to_bytes(data.remaining()))));
                    }
                }
            }
        }
    }
}
