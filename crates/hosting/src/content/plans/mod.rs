//! The plan catalog, from `plans.toml`.

mod parse;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use parse::parse;

/// The plan catalog.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalog {
    /// When the catalog was last changed.
    pub updated_at: Option<Timestamp>,
    /// The plans in the order in which they are shown.
    pub plans: Vec<Plan>,
}

/// The category of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// A virtual private server.
    Vps,
    /// A game server.
    Game,
    /// Web space.
    Web,
}

impl Category {
    /// All categories with their words.
    pub const WORDS: [(&'static str, Self); 3] =
        [("vps", Self::Vps), ("game", Self::Game), ("web", Self::Web)];

    /// Returns the category with this word.
    pub fn parse(word: &str) -> Option<Self> {
        let known = Self::WORDS.iter().find(|(known, _)| *known == word);
        known.map(|(_, category)| *category)
    }
}

/// The stock of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stock {
    /// The plan is in stock.
    InStock,
    /// The stock is low.
    Low,
    /// The plan is out of stock.
    Out,
}

/// The billing period of a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Period {
    /// An hour.
    Hour,
    /// A month.
    Month,
    /// A quarter of a year.
    Quarter,
    /// A year.
    Year,
}

/// A plan.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// The id, which never changes.
    pub id: String,
    /// The name in URLs.
    pub slug: String,
    /// The name for people.
    pub name: String,
    /// The category.
    pub category: Category,
    /// The description.
    pub description: String,
    /// The technical specifications.
    pub specs: Specs,
    /// Further features, in words.
    pub features: Vec<String>,
    /// The prices.
    pub prices: Vec<Price>,
    /// Whether the plan can be ordered.
    pub available: bool,
    /// The stock.
    pub stock: Stock,
    /// A highlight, such as `popular`.
    pub badge: Option<String>,
    /// The URL or path of the order page.
    pub order_url: Option<String>,
    /// The position in lists; lower numbers come first.
    pub sort_order: i64,
    /// Texts in other languages, by locale.
    #[serde(skip)]
    pub translations: BTreeMap<String, Translation>,
}

/// The technical specifications of a plan; what does not apply is null.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Specs {
    /// The number of processor cores.
    pub cpu_cores: Option<f64>,
    /// Memory in MiB.
    pub memory_mb: Option<u64>,
    /// Disk in GB.
    pub disk_gb: Option<u64>,
    /// The type of disk, such as `nvme`.
    pub disk_type: Option<String>,
    /// Monthly traffic in GB; null means unlimited.
    pub traffic_gb: Option<u64>,
    /// Bandwidth in Mbit/s.
    pub bandwidth_mbit: Option<u64>,
    /// The number of player slots.
    pub slots: Option<u64>,
    /// The number of backups that are kept.
    pub backups: Option<u64>,
    /// The available locations.
    pub locations: Vec<String>,
}

/// A price of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Price {
    /// The billing period.
    pub period: Period,
    /// The amount in the smallest unit of the currency, such as cents.
    pub amount_minor: u64,
    /// The ISO 4217 code of the currency.
    pub currency: String,
    /// The one-time setup fee, in the smallest unit of the currency.
    pub setup_minor: u64,
    /// Whether tax is included.
    pub tax_included: bool,
}

/// The texts of a plan in another language; `None` leaves a text untranslated.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Translation {
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) features: Option<Vec<String>>,
    pub(crate) badge: Option<String>,
}

/// Selects plans and the form in which they are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanFilter {
    /// Only plans of these categories; empty means all.
    pub categories: Vec<Category>,
    /// Only prices in this currency, and plans that have one.
    pub currency: Option<String>,
    /// The language of the texts.
    pub locale: Option<String>,
}

impl Catalog {
    /// Returns the plans that match a filter.
    pub fn select(&self, filter: &PlanFilter) -> Vec<Plan> {
        let matches = |plan: &&Plan| {
            filter.categories.is_empty() || filter.categories.contains(&plan.category)
        };
        let plans = self.plans.iter().filter(matches).cloned();
        let plans = plans.filter_map(|mut plan| {
            if let Some(currency) = &filter.currency {
                plan.prices.retain(|price| price.currency == *currency);
                if plan.prices.is_empty() {
                    return None;
                }
            }
            if let Some(locale) = &filter.locale {
                plan.translate(locale);
            }
            Some(plan)
        });
        plans.collect()
    }
}

impl Plan {
    /// Translates the texts into a locale such as `de-AT`, or else into its language `de`.
    fn translate(&mut self, locale: &str) {
        let language = locale.split('-').next().unwrap_or_default();
        let translation = |locale: &str| {
            let mut known = self.translations.iter();
            known.find(|(known, _)| known.eq_ignore_ascii_case(locale))
        };
        let Some((_, texts)) = translation(locale).or_else(|| translation(language)) else {
            return;
        };
        let texts = texts.clone();
        if let Some(name) = texts.name {
            self.name = name;
        }
        if let Some(description) = texts.description {
            self.description = description;
        }
        if let Some(features) = texts.features {
            self.features = features;
        }
        if texts.badge.is_some() {
            self.badge = texts.badge;
        }
    }
}
