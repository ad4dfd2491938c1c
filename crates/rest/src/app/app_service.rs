//! A built application as a tower service.

use std::convert::Infallible;
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use futures_core::Stream;
use http_body::Body as HttpBody;
use tower_service::Service;

use crate::body::Body;
use crate::box_error::BoxError;
use crate::future::BoxFuture;
use crate::head::Head;
use crate::pipeline::{Core, finish};
use crate::request::Request;
use crate::resource::{Mode, Shared};
use crate::response::ReplyBody;

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

    /// Answers a request, whatever transport it came by.
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
        let extensions = std::mem::take(&mut parts.extensions);
        let body = if body.is_end_stream() {
            Body::empty()
        } else {
            Body::from_stream(BodyStream { body })
        };
        let mut request = Request::new(Head::from_hyper(parts), body);
        request.values_mut().set_extensions(extensions);
        Box::pin(async move { Ok(this.answer(request).await) })
    }
}

pin_project_lite::pin_project! {
    /// The data frames of a body as a stream.
    struct BodyStream<B> {
        #[pin]
        body: B,
    }
}

impl<B> Stream for BodyStream<B>
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
