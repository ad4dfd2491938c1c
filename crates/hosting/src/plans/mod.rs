//! The plan catalog: what `plans.toml` says, checked.

mod read;
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use read::read;
pub(crate) use table::Table;

/// All plans.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalog {
    /// When the file was changed last.
    pub updated_at: Option<Timestamp>,
    /// The plans in the order in which they are shown.
    pub plans: Vec<Plan>,
}

/// What a plan is for.
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
    /// The words for the categories.
    pub const WORDS: [(&'static str, Self); 3] =
        [("vps", Self::Vps), ("game", Self::Game), ("web", Self::Web)];

    /// The category with this word.
    pub fn parse(word: &str) -> Option<Self> {
        let known = Self::WORDS.iter().find(|(known, _)| *known == word);
        known.map(|(_, category)| *category)
    }
}

/// How much of a plan is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stock {
    /// Enough.
    InStock,
    /// Little.
    Low,
    /// Nothing.
    Out,
}

/// How often a price is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Period {
    /// Each hour.
    Hour,
    /// Each month.
    Month,
    /// Each quarter of a year.
    Quarter,
    /// Each year.
    Year,
}

/// One plan.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Names it for programs and never changes.
    pub id: String,
    /// Names it in addresses.
    pub slug: String,
    /// Names it for people.
    pub name: String,
    /// What it is for.
    pub category: Category,
    /// A sentence or two.
    pub description: String,
    /// What one gets.
    pub specs: Specs,
    /// What else one gets, in words.
    pub features: Vec<String>,
    /// What it costs.
    pub prices: Vec<Price>,
    /// Whether it can be ordered.
    pub available: bool,
    /// How much of it is left.
    pub stock: Stock,
    /// A word that stands out, such as `popular`.
    pub badge: Option<String>,
    /// Where it is ordered.
    pub order_url: Option<String>,
    /// Plans with smaller numbers come first.
    pub sort_order: i64,
    /// Its words in other languages.
    #[serde(skip)]
    pub translations: BTreeMap<String, Translation>,
}

/// What one gets with a plan; what does not apply is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Specs {
    /// Processor cores.
    pub cpu_cores: Option<f64>,
    /// Memory in MiB.
    pub memory_mb: Option<u64>,
    /// Disk in GB.
    pub disk_gb: Option<u64>,
    /// What disk, such as `nvme`.
    pub disk_type: Option<String>,
    /// Traffic a month in GB; absent means without limit.
    pub traffic_gb: Option<u64>,
    /// Bandwidth in Mbit/s.
    pub bandwidth_mbit: Option<u64>,
    /// Places for players.
    pub slots: Option<u64>,
    /// How many backups are kept.
    pub backups: Option<u64>,
    /// Where it is offered.
    pub locations: Vec<String>,
}

/// What a plan costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Price {
    /// How often it is paid.
    pub period: Period,
    /// In the smallest unit of the currency, such as cents.
    pub amount_minor: u64,
    /// The three letters of the currency.
    pub currency: String,
    /// What is paid once.
    pub setup_minor: u64,
    /// Whether tax is in it.
    pub tax_included: bool,
}

/// The words of a plan in another language; what is absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Translation {
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) features: Option<Vec<String>>,
    pub(crate) badge: Option<String>,
}

/// Which plans are wanted, and how.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Only plans of these categories; empty means all.
    pub categories: Vec<Category>,
    /// Only prices in this currency, and plans that have one.
    pub currency: Option<String>,
    /// The language of the words.
    pub locale: Option<String>,
}

impl Catalog {
    /// The plans that are wanted.
    pub fn select(&self, wanted: &Wanted) -> Vec<Plan> {
        let is_wanted = |plan: &&Plan| {
            wanted.categories.is_empty() || wanted.categories.contains(&plan.category)
        };
        let plans = self.plans.iter().filter(is_wanted).cloned();
        let plans = plans.filter_map(|mut plan| {
            if let Some(currency) = &wanted.currency {
                plan.prices.retain(|price| price.currency == *currency);
                if plan.prices.is_empty() {
                    return None;
                }
            }
            if let Some(locale) = &wanted.locale {
                plan.translate(locale);
            }
            Some(plan)
        });
        plans.collect()
    }
}

impl Plan {
    /// Takes the words of a language, such as `de-AT`, or else of `de`.
    fn translate(&mut self, locale: &str) {
        let language = locale.split('-').next().unwrap_or_default();
        let found = |wanted: &str| {
            let mut known = self.translations.iter();
            known.find(|(known, _)| known.eq_ignore_ascii_case(wanted))
        };
        let Some((_, words)) = found(locale).or_else(|| found(language)) else {
            return;
        };
        let words = words.clone();
        if let Some(name) = words.name {
            self.name = name;
        }
        if let Some(description) = words.description {
            self.description = description;
        }
        if let Some(features) = words.features {
            self.features = features;
        }
        if words.badge.is_some() {
            self.badge = words.badge;
        }
    }
}
