//! HTTP: one file per path of the specification, and the table of routes.

mod articles;
mod assets;
mod blog;
mod errors;
mod front;
mod health;
mod kb;
mod limits;
mod openapi;
mod origins;
mod plans;
mod send;
mod sitemap;
mod status;
mod statuspage;
mod widget;

use std::sync::Arc;
use std::time::Duration;

use innkeeper_rest::filter::RequestIds;
use innkeeper_rest::{App as Routes, Resource, RestApi};
use innkeeper_service::telemetry::Observe;

use crate::app::App;
use crate::server::StartError;
use errors::Errors;
use front::Front;
use openapi::Documents;

/// The largest body of a request.
const BODY_LIMIT: u64 = 16 * 1024;
const TIMEOUT: Duration = Duration::from_secs(30);

/// All routes. Everything but `/health` is below `/v1`.
pub(crate) fn routes(app: &Arc<App>) -> Result<Routes, StartError> {
    let config = &app.config;
    let limiter = limits::limiter(&config.limits, &app.clock);
    let cors = origins::cors(&config.http.cors_origins)?;
    // The outermost first.
    let routes = Routes::new()
        .errors(Errors)
        .body_limit(BODY_LIMIT)
        .timeout(TIMEOUT)
        .filter(Front {
            ids: RequestIds::new(),
            proxies: config.http.trusted_proxies.clone(),
            observe: Observe::new(&app.telemetry).not_logging("/health"),
            cors: cors.clone(),
            limits: limits::Limits::new(&config.limits, &limiter)?,
        })
        .filter(limits::FeedbackOfTheDay::new(&config.limits, &limiter)?)
        .filter(origins::Preflights(cors));
    Ok(mounted(routes, app, &Documents::about(&described(app))))
}

/// The OpenAPI document.
pub(crate) fn openapi(app: &Arc<App>) -> serde_json::Value {
    openapi::document(&described(app))
}

/// The routes, to be written about.
fn described(app: &Arc<App>) -> Routes {
    let routes = Routes::new().body_limit(BODY_LIMIT).timeout(TIMEOUT);
    mounted(routes, app, &Documents::unwritten())
}

fn mounted(routes: Routes, app: &Arc<App>, documents: &Arc<Documents>) -> Routes {
    let health = RestApi::new(health::Health {
        app: Arc::clone(app),
    });
    routes
        .mount("/health", content(health))
        .mount("/v1", content(v1(app, documents)))
}

/// What answers in the way of the content routes.
fn content(api: RestApi) -> RestApi {
    api.automatic_options(false).errors(Errors)
}

fn v1(app: &Arc<App>, documents: &Arc<Documents>) -> RestApi {
    let shared = || Arc::clone(app);
    RestApi::new(plans::Plans { app: shared() })
        .with(blog::List { app: shared() })
        .with(blog::Article { app: shared() })
        .with(blog::FeedAtom { app: shared() })
        .with(blog::FeedJson { app: shared() })
        .with(kb::List { app: shared() })
        .with(kb::Article { app: shared() })
        .with(kb::Feedback { app: shared() })
        .with(status::Status { app: shared() })
        .with(statuspage::Statuspage { app: shared() })
        .with(widget::Widget::new())
        .with(sitemap::Sitemap { app: shared() })
        .with(assets::Assets { app: shared() })
        .with(openapi::OpenApiDocument {
            documents: Arc::clone(documents),
        })
        .with(openapi::Docs {
            documents: Arc::clone(documents),
        })
}

/// Every route: its method and its path, for documents and tests.
pub fn route_table() -> Vec<(&'static str, String)> {
    let below_v1 = [
        plans::Plans::ROUTES,
        blog::List::ROUTES,
        blog::Article::ROUTES,
        blog::FeedAtom::ROUTES,
        blog::FeedJson::ROUTES,
        kb::List::ROUTES,
        kb::Article::ROUTES,
        kb::Feedback::ROUTES,
        status::Status::ROUTES,
        statuspage::Statuspage::ROUTES,
        widget::Widget::ROUTES,
        sitemap::Sitemap::ROUTES,
        assets::Assets::ROUTES,
        openapi::OpenApiDocument::ROUTES,
        openapi::Docs::ROUTES,
    ];
    let below_v1 = below_v1
        .into_iter()
        .flatten()
        .map(|route| (route.verb.as_str(), format!("/v1{}", route.template)));
    let health = health::Health::ROUTES
        .iter()
        .map(|route| (route.verb.as_str(), "/health".to_owned()));
    health.chain(below_v1).collect()
}
