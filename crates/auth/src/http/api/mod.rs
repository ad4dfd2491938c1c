//! The HTTP layer: one file per path, and the table of routes.

mod admin;
mod authenticate;
mod authorize;
pub(crate) mod body;
mod callback;
pub(crate) mod captcha;
pub(crate) mod client;
mod confirmation_page;
mod errors;
mod factors;
mod features_off;
mod guard;
mod health;
mod identities;
mod invite;
mod link_errors;
mod logout;
mod not_found;
pub(crate) mod openapi;
pub(crate) mod otp;
mod passkeys;
mod path_prefix;
pub(crate) mod rate_limits;
pub(crate) mod reauthenticate;
pub(crate) mod recover;
pub(crate) mod resend;
mod settings;
pub(crate) mod signup;
pub(crate) mod token;
pub(crate) mod user;
mod verify;
mod version;
mod well_known;

use std::sync::Arc;
use std::time::Duration;

use innkeeper_rest::filter::{Cors, CorsError, RequestIds};
use innkeeper_rest::{App as Routes, RestApi};

use crate::app::App;
use crate::app::start_error::StartError;
use crate::app::telemetry;
use crate::config::{Config, Profile};
use crate::http::pages;
use crate::http::pages::errors::PageErrors;
use crate::http::pages::paths;
use crate::http::pages::site::Pages;
use authenticate::{CallerBeforeRoute, require_admin, require_token};
use errors::{BODY_LIMIT, ErrorFormats, JsonErrors};
use guard::OutsidePages;

/// Returns all routes, in the order of the specification.
pub(crate) fn routes(app: &Arc<App>) -> Result<Routes, StartError> {
    let config = &app.config;
    let pages = config.pages.enabled.then(|| Pages::new(app));
    let pages = pages.transpose()?.map(Arc::new);
    let errors = ErrorFormats {
        json: JsonErrors {
            profile: config.profile,
        },
        pages: pages.clone().map(|pages| PageErrors { pages }),
    };
    let shared = || Arc::clone(app);
    let as_json = |api: RestApi| {
        api.read_everything_as_json()
            .automatic_options(false)
            .errors(errors.clone())
    };
    let routes = with_filters(app, &errors)?
        .mount("/", as_json(public(app, pages.as_ref())))
        .mount(
            "/invite",
            as_json(RestApi::new(invite::Invite { app: shared() })).filter(require_admin(app)),
        )
        .mount(
            "/user",
            as_json(
                RestApi::new(user::UserResource { app: shared() })
                    .with(identities::Identities { app: shared() }),
            )
            .filter(require_token(app))
            .filter(CallerBeforeRoute(shared())),
        )
        .mount("/factors", as_json(factor_routes(app)))
        .mount(
            "/passkeys/authentication",
            as_json(RestApi::new(passkeys::PasskeySignIn { app: shared() })),
        )
        .mount(
            "/passkeys",
            as_json(RestApi::new(passkeys::Passkeys { app: shared() })).filter(require_token(app)),
        )
        .mount("/reauthenticate", as_json(nonce_routes(app)))
        .mount(
            "/logout",
            as_json(RestApi::new(logout::Logout { app: shared() })).filter(require_token(app)),
        )
        .mount(
            "/admin",
            as_json(operator_routes(app)).filter(require_admin(app)),
        );
    Ok(match &pages {
        Some(pages) => routes.mount(paths::PREFIX, pages::routes(pages)),
        None => routes,
    })
}

/// Returns an application without routes, with the filters of all requests.
fn with_filters(app: &Arc<App>, errors: &ErrorFormats) -> Result<Routes, StartError> {
    let config = &app.config;
    let shared = || Arc::clone(app);
    let mut routes = Routes::new();
    if let Some(prefix) = &config.api.path_prefix {
        routes = routes.filter(path_prefix::PathPrefix(prefix.clone()));
    }
    Ok(routes
        .errors(errors.clone())
        .body_limit(BODY_LIMIT)
        // The deadline filter below covers the other filters as well.
        .timeout(None)
        .filter(request_ids(config))
        .filter(client::FindClientAddress::new(config))
        .filter(telemetry::observe(app))
        .filter(OutsidePages(cors(config)?))
        .filter(guard::security_headers(config.profile)?)
        .filter(not_found::ShowNotFoundPage(config.profile))
        .filter(guard::VersionHeaders)
        .filter(guard::RefuseSlashes(config.profile))
        .filter(guard::Deadline(deadline(config)))
        .filter(guard::RequireReady(shared()))
        .filter(rate_limits::RateLimits::new(app)?)
        .filter(client::ReadClientInfo)
        .filter(features_off::FeaturesOff(shared())))
}

/// Returns the routes of operators.
fn operator_routes(app: &Arc<App>) -> RestApi {
    let shared = || Arc::clone(app);
    RestApi::new(admin::users::Users { app: shared() })
        .with(admin::factors::UserFactors { app: shared() })
        .with(admin::passkeys::UserPasskeys { app: shared() })
        .with(admin::generate_link::GenerateLink { app: shared() })
        .with(admin::audit::Audit { app: shared() })
        .with(admin::mail::Mail { app: shared() })
        .with(admin::custom_providers::CustomProviders { app: shared() })
}

/// Returns the routes that need no token.
fn public(app: &Arc<App>, pages: Option<&Arc<Pages>>) -> RestApi {
    let shared = || Arc::clone(app);
    RestApi::new(health::Health { app: shared() })
        .with(settings::Settings { app: shared() })
        .with(well_known::WellKnown { app: shared() })
        .with(signup::SignupResource { app: shared() })
        .with(resend::Resend { app: shared() })
        .with(verify::Verify {
            app: shared(),
            pages: pages.cloned(),
        })
        .with(otp::Otp { app: shared() })
        .with(otp::MagicLink { app: shared() })
        .with(recover::Recover { app: shared() })
        .with(token::Token { app: shared() })
        .with(authorize::Authorize { app: shared() })
        .with(callback::Callback { app: shared() })
}

/// Adds the OpenAPI document and its page to the routes, except in the gotrue profile, which looks like
/// GoTrue.
pub(crate) fn with_document(routes: Routes, profile: Profile) -> Routes {
    match profile {
        Profile::Std => routes
            .openapi("/openapi.json", openapi::openapi())
            .docs_page("/docs", "/openapi.json"),
        Profile::Gotrue => routes,
    }
}

fn deadline(config: &Config) -> Duration {
    Duration::try_from(config.api.max_request_duration).unwrap_or(Duration::from_secs(10))
}

fn request_ids(config: &Config) -> RequestIds {
    match &config.api.request_id_header {
        Some(header) => RequestIds::in_header(header.clone()),
        None => RequestIds::new(),
    }
}

/// Allows every origin: requests are authorized by tokens, not by cookies.
fn cors(config: &Config) -> Result<Cors, CorsError> {
    let mut headers = vec![
        "accept",
        "apikey",
        "authorization",
        "content-type",
        "redirect_to",
        "x-client-ip",
        "x-client-info",
        "x-jwt-aud",
        "x-use-cookie",
        "x-supabase-api-version",
    ];
    headers.extend(config.cors_allowed_headers.iter().map(String::as_str));
    let builder = Cors::builder()
        .methods(["GET", "POST", "PUT", "PATCH", "DELETE"])
        .headers(headers)
        .exposed_headers(["x-total-count", "link", "x-supabase-api-version"]);
    match config.profile {
        Profile::Std => builder.any_origin().exposed_headers(["retry-after"]),
        Profile::Gotrue => builder
            .credentials_with_any_origin()
            .only_with_origin()
            .repeat_requested(),
    }
    .build()
}

fn factor_routes(app: &Arc<App>) -> RestApi {
    let shared = || Arc::clone(app);
    RestApi::new(factors::Factors { app: shared() })
        .filter(require_token(app))
        .filter(CallerBeforeRoute(shared()))
}

fn nonce_routes(app: &Arc<App>) -> RestApi {
    let shared = || Arc::clone(app);
    RestApi::new(reauthenticate::Reauthenticate { app: shared() })
        .filter(require_token(app))
        .filter(CallerBeforeRoute(shared()))
}
