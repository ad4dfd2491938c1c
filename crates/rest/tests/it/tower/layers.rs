//! tower layers as filters.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::Full;
use innkeeper_rest::filter::{self, NextService, RequestId, RequestIds, Trace};
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Body, PlainText, ReplyBody, RestApi, resource};
use tokio::sync::Barrier;
use tower::layer::layer_fn;
use tower::limit::GlobalConcurrencyLimitLayer;
use tower::util::{MapRequestLayer, MapResponseLayer};
use tower::{BoxError, Layer, Service, ServiceExt as _, service_fn};

use crate::errors::log::Log;

#[derive(Default)]
struct Desk {
    now: AtomicUsize,
    most: AtomicUsize,
}

#[resource("/desk")]
impl Desk {
    #[get("/{name}")]
    fn greet(&self, name: &str, #[value("title")] title: Option<String>) -> String {
        format!("{} {name}", title.unwrap_or_default())
    }

    #[get]
    fn number(&self, #[value] number: u32, #[value] id: RequestId) -> String {
        format!("{number} {id}")
    }

    #[post]
    async fn echo(&self, #[body] text: String) -> String {
        text
    }

    #[get("/busy")]
    async fn busy(&self) -> usize {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        tokio::task::yield_now().await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        self.most.load(Ordering::SeqCst)
    }

    #[delete]
    #[expect(clippy::panic, reason = "what comes of it is the subject")]
    fn fail(&self) -> u8 {
        panic!("secret")
    }
}

fn client(layer: impl innkeeper_rest::Filter) -> Client {
    let api = RestApi::new(Desk::default()).filter(layer);
    Client::new(App::new().filter(RequestIds::new()).mount("/", api)).unwrap()
}

#[tokio::test]
async fn a_layer_sets_an_extension_that_is_a_value() {
    let layer = MapRequestLayer::new(|mut request: http::Request<Body>| {
        request.extensions_mut().insert(7_u32);
        request
    });
    let client = client(filter::layer(layer));
    let response = client.get("/desk").header("x-request-id", "abc").send();
    assert_eq!(response.await.text(), "7 abc", "earlier values survive");
}

#[tokio::test]
async fn a_layer_changes_responses_and_requests() {
    let layer = MapResponseLayer::new(|mut response: http::Response<ReplyBody>| {
        let name = http::header::SERVER;
        response.headers_mut().insert(name, "inn".parse().unwrap());
        *response.status_mut() = http::StatusCode::ACCEPTED;
        response
    });
    let response = client(filter::layer(layer)).get("/desk/ada").send().await;
    assert_eq!(response.status(), 202);
    assert_eq!(response.header("server"), Some("inn"));
    assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(response.text(), " ada");
    let layer = MapRequestLayer::new(|request: http::Request<Body>| {
        request.map(|_| Body::from("something else"))
    });
    let response = client(filter::layer(layer))
        .post("/desk")
        .body("hello")
        .send()
        .await;
    assert_eq!(response.text(), "something else");
}

#[tokio::test]
async fn a_layer_sees_refusals_complete() {
    let layer = MapResponseLayer::new(|mut response: http::Response<ReplyBody>| {
        let status = response.status().as_u16().into();
        response.headers_mut().insert("x-seen", status);
        response
    });
    let response = client(filter::layer(layer)).get("/nothing").send().await;
    assert_eq!(response.header("x-seen"), Some("404"));
    assert_eq!(
        response.header("content-type"),
        Some("application/problem+json")
    );
}

#[tokio::test]
async fn a_layer_may_answer_by_itself() {
    let layer = layer_fn(|_: NextService| {
        service_fn(async |request: http::Request<Body>| {
            let text = format!("closed: {}", request.uri());
            Ok::<_, Infallible>(http::Response::new(Full::<Bytes>::from(text)))
        })
    });
    let response = client(filter::layer(layer)).get("/desk/ada?x").send().await;
    assert_eq!(response.text(), "closed: /desk/ada?x");
}

#[tokio::test]
async fn an_error_of_a_layer_is_a_500_in_the_format_of_the_mount() {
    let log = Log::start();
    let layer = layer_fn(|_: NextService| {
        service_fn(async |_: http::Request<Body>| {
            Err::<http::Response<Full<Bytes>>, BoxError>("the layer is torn".into())
        })
    });
    let api = RestApi::new(Desk::default())
        .errors(PlainText)
        .filter(filter::layer(layer));
    let client = Client::new(App::new().mount("/", api)).unwrap();
    let response = client.get("/desk/ada").send().await;
    assert_eq!(response.status(), 500);
    assert_eq!(response.text(), "internal server error\n");
    assert!(log.text().contains("the layer is torn"), "{}", log.text());
}

#[tokio::test]
async fn a_panic_behind_a_layer_is_an_ordinary_answer_to_it() {
    let layer = MapResponseLayer::new(|mut response: http::Response<ReplyBody>| {
        response
            .headers_mut()
            .insert("x-layer", "seen".parse().unwrap());
        response
    });
    let response = client(filter::layer(layer)).delete("/desk").send().await;
    assert_eq!(response.status(), 500);
    assert_eq!(response.header("x-layer"), Some("seen"));
}

/// Numbers its requests in `x-count`; a layer that is built again would start at 1.
#[derive(Clone)]
struct Counting<S> {
    inner: S,
    seen: Arc<AtomicUsize>,
}

impl<S> Service<http::Request<Body>> for Counting<S>
where
    S: Service<http::Request<Body>, Response = http::Response<ReplyBody>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let count = self.seen.fetch_add(1, Ordering::SeqCst) + 1;
        let work = self.inner.call(request);
        Box::pin(async move {
            let mut response = work.await?;
            response.headers_mut().insert("x-count", count.into());
            Ok(response)
        })
    }
}

#[tokio::test]
async fn a_layer_is_built_once_and_keeps_its_state() {
    let layer = layer_fn(|inner| Counting {
        inner,
        seen: Arc::default(),
    });
    let client = client(filter::layer(layer));
    for count in ["1", "2", "3"] {
        let response = client.get("/desk/ada").send().await;
        assert_eq!(response.header("x-count"), Some(count));
    }
}

#[tokio::test]
async fn a_concurrency_limit_holds_across_requests() {
    let most = async |client: Client| {
        let client = Arc::new(client);
        let together = Arc::new(Barrier::new(8));
        let asking: Vec<_> = (0..8)
            .map(|_| {
                let (client, together) = (Arc::clone(&client), Arc::clone(&together));
                tokio::spawn(async move {
                    together.wait().await;
                    client
                        .get("/desk/busy")
                        .send()
                        .await
                        .json::<usize>()
                        .unwrap()
                })
            })
            .collect();
        let mut most = 0;
        for answer in asking {
            most = most.max(answer.await.unwrap());
        }
        most
    };
    let limited = client(filter::layer(GlobalConcurrencyLimitLayer::new(2)));
    assert_eq!(most(limited).await, 2);
    let free = client(filter::after(|response| response));
    assert!(
        most(free).await > 2,
        "the limit is what made the difference"
    );
}

/// Sends every request on twice.
struct Twice;

impl Layer<NextService> for Twice {
    type Service = tower::util::BoxCloneSyncService<
        http::Request<Body>,
        http::Response<ReplyBody>,
        Infallible,
    >;

    fn layer(&self, inner: NextService) -> Self::Service {
        tower::util::BoxCloneSyncService::new(service_fn(
            move |request: http::Request<Body>| async move {
                let mut again = http::Request::new(Body::empty());
                *again.uri_mut() = request.uri().clone();
                *again.extensions_mut() = request.extensions().clone();
                inner.oneshot(request).await?;
                inner.oneshot(again).await
            },
        ))
    }
}

#[tokio::test]
async fn a_request_cannot_be_sent_on_twice() {
    let log = Log::start();
    let response = client(filter::layer(Twice)).get("/desk/ada").send().await;
    assert_eq!(response.status(), 500);
    assert!(log.text().contains("twice"), "{}", log.text());
}

#[tokio::test]
async fn named_values_parameters_and_the_route_survive_a_layer() {
    let log = Log::start();
    let title = filter::before(|request| {
        let title = "Countess".to_owned();
        request.values_mut().set_named("title", title);
        Ok(())
    });
    let pass = || filter::layer(MapRequestLayer::new(|request: http::Request<Body>| request));
    let api = RestApi::new(Desk::default()).filter(pass());
    let app = App::new().filter(Trace).filter(title).filter(pass());
    let client = Client::new(app.mount("/", api)).unwrap();
    let response = client.get("/desk/ada").send().await;
    assert_eq!(response.text(), "Countess ada");
    let log = log.text();
    assert!(
        log.contains("http.route=\"/desk/{name}\""),
        "filters outside the layer know the route: {log}"
    );
}
