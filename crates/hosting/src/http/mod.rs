//! HTTP: one file per path of the specification, and the table of routes.

mod articles;
mod assets;
mod blog;
mod console_page;
mod control;
mod edge;
mod errors;
mod health;
mod kb;
mod openapi;
mod origins;
mod plans;
mod rate_limits;
mod sitemap;
mod status;
mod status_page;
mod statuspage;
mod widget;

use std::sync::Arc;
use std::time::Duration;

use innkeeper_rest::filter::RequestIds;
use innkeeper_rest::{App as Routes, Resource, RestApi};
use innkeeper_service::limiter::SharedLimiter;
use innkeeper_service::telemetry::Observe;

use crate::app::App;
use crate::app::start_error::StartError;
use console_page::ConsolePageErrors;
use control::context::Control;
use edge::EdgeFilter;
use errors::ErrorResponses;
use openapi::PreparedDocument;

/// The largest request body, in bytes.
const BODY_LIMIT: u64 = 16 * 1024;
const TIMEOUT: Duration = Duration::from_secs(30);

/// Returns all routes. Everything but `/health` is below `/v1`.
pub(crate) fn routes(app: &Arc<App>) -> Result<Routes, StartError> {
    let config = &app.config;
    let limiter = rate_limits::limiter(&config.limits, &app.clock);
    let cors = origins::cors(&config.http.cors_origins)?;
    // The outermost filter comes first.
    let routes = Routes::new()
        .errors(ErrorResponses)
        .body_limit(BODY_LIMIT)
        .timeout(TIMEOUT)
        .filter(EdgeFilter {
            ids: RequestIds::new(),
            proxies: config.http.trusted_proxies.clone(),
            observe: Observe::new(&app.telemetry).not_logging("/health"),
            cors: cors.clone(),
            limits: rate_limits::RateLimits::new(&config.limits, &limiter)?,
            content: Arc::clone(&app.content),
        })
        .filter(rate_limits::DailyFeedbackLimit::new(
            &config.limits,
            &limiter,
        )?)
        .filter(origins::PreflightFilter(cors));
    let document = PreparedDocument::of(&undocumented(app)?);
    let routes = mount(routes, app, &limiter, &document)?;
    Ok(routes.docs_page(openapi::PAGE, openapi::PATH))
}

/// Returns the OpenAPI document.
pub(crate) fn openapi_document(app: &Arc<App>) -> Result<serde_json::Value, StartError> {
    Ok(openapi::document(&undocumented(app)?))
}

/// Returns the routes that the document is made from.
fn undocumented(app: &Arc<App>) -> Result<Routes, StartError> {
    let routes = Routes::new().body_limit(BODY_LIMIT).timeout(TIMEOUT);
    let limiter = rate_limits::limiter(&app.config.limits, &app.clock);
    mount(routes, app, &limiter, &PreparedDocument::empty())
}

fn mount(
    routes: Routes,
    app: &Arc<App>,
    limiter: &Arc<SharedLimiter>,
    document: &Arc<PreparedDocument>,
) -> Result<Routes, StartError> {
    let health = RestApi::new(health::Health {
        app: Arc::clone(app),
    });
    let control = Control::new(app, limiter)?;
    let console = RestApi::new(console_page::ConsolePage::new(Arc::clone(&control)));
    let console = configure(console).errors(ConsolePageErrors);
    Ok(routes
        .mount("/health", configure(health))
        .mount("/v1", configure(v1(app, document)))
        .mount(console_page::PATH, console)
        .mount(
            control::PREFIX,
            control::api(&control).automatic_options(false),
        ))
}

/// Sets the options and the error format that the public routes share.
fn configure(api: RestApi) -> RestApi {
    api.automatic_options(false).errors(ErrorResponses)
}

fn v1(app: &Arc<App>, document: &Arc<PreparedDocument>) -> RestApi {
    let shared = || Arc::clone(app);
    RestApi::new(plans::Plans { app: shared() })
        .with(blog::BlogList { app: shared() })
        .with(blog::BlogArticle { app: shared() })
        .with(blog::FeedAtom { app: shared() })
        .with(blog::FeedJson { app: shared() })
        .with(kb::KbList { app: shared() })
        .with(kb::KbArticle { app: shared() })
        .with(kb::KbFeedback { app: shared() })
        .with(status::Status { app: shared() })
        .with(status_page::StatusHtml { app: shared() })
        .with(statuspage::Statuspage { app: shared() })
        .with(widget::Widget::new())
        .with(sitemap::Sitemap { app: shared() })
        .with(assets::Assets::new(shared()))
        .with(openapi::OpenApiDocument {
            document: Arc::clone(document),
        })
}

/// Lists every route by method and path, for documentation and tests.
pub fn route_table() -> Vec<(&'static str, String)> {
    let below_v1 = [
        plans::Plans::ROUTES,
        blog::BlogList::ROUTES,
        blog::BlogArticle::ROUTES,
        blog::FeedAtom::ROUTES,
        blog::FeedJson::ROUTES,
        kb::KbList::ROUTES,
        kb::KbArticle::ROUTES,
        kb::KbFeedback::ROUTES,
        status::Status::ROUTES,
        status_page::StatusHtml::ROUTES,
        statuspage::Statuspage::ROUTES,
        widget::Widget::ROUTES,
        sitemap::Sitemap::ROUTES,
        assets::Assets::ROUTES,
        openapi::OpenApiDocument::ROUTES,
    ];
    let below_v1 = below_v1
        .into_iter()
        .flatten()
        .map(|route| (route.verb.as_str(), format!("/v1{}", route.template)));
    let health = health::Health::ROUTES
        .iter()
        .map(|route| (route.verb.as_str(), "/health".to_owned()));
    let console = console_page::ConsolePage::ROUTES.iter().map(|route| {
        let below = route.template.trim_end_matches('/');
        (
            route.verb.as_str(),
            format!("{}{below}", console_page::PATH),
        )
    });
    let control = control::routes().map(|route| {
        (
            route.verb.as_str(),
            format!("{}{}", control::PREFIX, route.template),
        )
    });
    let pages = below_v1.chain(console);
    health.chain(pages).chain(control).collect()
}
