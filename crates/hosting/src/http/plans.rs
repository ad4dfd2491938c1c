//! `GET /v1/plans`: the plan catalog.

use std::sync::Arc;

use http::StatusCode;
use innkeeper_rest::{Rejection, Request, Unnegotiated, resource};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::base::prepared::prepare;
use crate::content::plans::{Category, Plan, PlanFilter};

const CACHE_CONTROL: &str = "public, max-age=60, stale-if-error=86400";

pub(crate) struct Plans {
    pub(crate) app: Arc<App>,
}

/// The plan catalog.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PlanList {
    /// When the catalog was last changed.
    #[schemars(extend("format" = "date-time"))]
    updated_at: Option<String>,
    plans: Vec<Plan>,
}

#[resource("/plans")]
impl Plans {
    /// Returns all plans or those of some categories, optionally with prices in one currency and texts in one
    /// language.
    #[get]
    #[responds(200, PlanList, "the plans")]
    fn list(
        &self,
        #[request] request: &Request,
        /// Only plans of these categories, separated by commas.
        category: Option<&str>,
        /// Only prices in this currency, such as `EUR`.
        currency: Option<&str>,
        /// Texts in this language where available, such as `de-AT`.
        locale: Option<&str>,
    ) -> Result<Unnegotiated, Rejection> {
        let filter = PlanFilter {
            categories: categories(category.unwrap_or_default())?,
            currency: currency.map(checked_currency).transpose()?,
            locale: locale.map(checked_locale).transpose()?,
        };
        let index = self.app.content.index();
        let catalog = index.plans();
        let reply = PlanList {
            updated_at: catalog.updated_at.map(|time| format!("{time:.3}")),
            plans: catalog.select(&filter),
        };
        let json = serde_json::to_vec(&reply).map_err(Rejection::internal)?;
        let response = prepare("application/json", CACHE_CONTROL, json);
        Ok(Unnegotiated(response.respond(request.head())))
    }
}

fn refuse(message: String) -> Rejection {
    Rejection::new(StatusCode::BAD_REQUEST, "invalid_request", message)
}

fn categories(text: &str) -> Result<Vec<Category>, Rejection> {
    let words = text
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty());
    words
        .map(|word| {
            Category::parse(word).ok_or_else(|| {
                let known = Category::WORDS.map(|(word, _)| word).join(", ");
                refuse(format!("category: expected some of {known}"))
            })
        })
        .collect()
}

fn checked_currency(text: &str) -> Result<String, Rejection> {
    let is_code = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_code {
        return Err(refuse(
            "currency: expected three letters such as EUR".to_owned(),
        ));
    }
    Ok(text.to_ascii_uppercase())
}

fn checked_locale(text: &str) -> Result<String, Rejection> {
    let is_part = |part: &str| {
        (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let text = text.replace('_', "-");
    if text.len() > 35 || !text.split('-').all(is_part) {
        return Err(refuse(
            "locale: expected a language such as de or de-AT".to_owned(),
        ));
    }
    Ok(text)
}
