//! Parses `plans.toml`. All faults are reported with their lines.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;
use toml::de::DeTable;
use url::Url;

use super::{Catalog, Category, Period, Plan, Price, Specs, Stock, Translation};
use crate::base::parse::{Fault, SourceDate, TomlTable, line_at};

const STOCKS: [(&str, Stock); 3] = [
    ("in_stock", Stock::InStock),
    ("low", Stock::Low),
    ("out", Stock::Out),
];
const PERIODS: [(&str, Period); 4] = [
    ("hour", Period::Hour),
    ("month", Period::Month),
    ("quarter", Period::Quarter),
    ("year", Period::Year),
];

/// Parses a catalog. Unless the file sets `updated_at`, the catalog was changed at the given time.
pub(crate) fn parse(text: &str, changed: Timestamp) -> Result<Catalog, Vec<Fault>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let faults = errors.iter().map(|error| {
            let line = error.span().map_or(1, |span| line_at(text, span.start));
            let message = error.message().split_whitespace().collect::<Vec<_>>();
            Fault::new(line, message.join(" "))
        });
        return Err(faults.collect());
    }
    let mut faults = Vec::new();
    let mut root = TomlTable::new(text, "", document.get_ref(), 1);
    let updated_at = root.value(
        "updated_at",
        "a time such as 2026-11-15T10:00:00Z",
        |value| {
            let time = value.as_datetime()?.to_string();
            Some(SourceDate::parse(&time)?.at)
        },
    );
    let mut taken = TakenNames::default();
    let mut plans = Vec::new();
    for table in root.tables("plans") {
        plans.push(plan(table, &mut taken, &mut faults));
    }
    root.finish(&mut faults);
    if !faults.is_empty() {
        faults.sort_by_key(|fault| fault.line);
        return Err(faults);
    }
    plans.sort_by_key(|plan| plan.sort_order);
    Ok(Catalog {
        updated_at: Some(updated_at.unwrap_or(changed)),
        plans,
    })
}

/// The ids and slugs that are taken.
#[derive(Default)]
struct TakenNames {
    ids: HashSet<String>,
    slugs: HashSet<String>,
}

fn plan(mut table: TomlTable<'_>, taken: &mut TakenNames, faults: &mut Vec<Fault>) -> Plan {
    let id = table.required_text("id");
    if !id.is_empty() {
        table.rename(format!("plan `{id}`"));
        if !is_id(&id) {
            table.fault(
                table.line(),
                format!("plan `{id}`: an id consists of lower case letters, digits and `-`"),
            );
        }
        if !taken.ids.insert(id.clone()) {
            table.fault(table.line(), format!("plan `{id}`: the id is used twice"));
        }
    }
    let slug = table.text("slug").unwrap_or_else(|| id.clone());
    if !slug.is_empty() && !taken.slugs.insert(slug.clone()) {
        table.fault(
            table.line(),
            format!("plan `{id}`: the slug `{slug}` is taken"),
        );
    }
    let stock = table.word("stock", &STOCKS).unwrap_or(Stock::InStock);
    let plan = Plan {
        slug,
        name: table.required_text("name"),
        category: category(&mut table),
        description: table.text("description").unwrap_or_default(),
        specs: specs(&mut table, faults),
        features: table.texts("features").unwrap_or_default(),
        prices: prices(&mut table, faults),
        available: table.flag("available").unwrap_or(stock != Stock::Out),
        stock,
        badge: table.text("badge"),
        order_url: order_url(&mut table),
        sort_order: table.signed("sort_order").unwrap_or_default(),
        translations: translations(&mut table, faults),
        id,
    };
    table.finish(faults);
    plan
}

fn is_id(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    text.bytes().all(allowed)
}

fn category(table: &mut TomlTable<'_>) -> Category {
    let category = table.word("category", &Category::WORDS);
    if category.is_none() && !table.has_fault_about("category") {
        table.missing("category");
    }
    category.unwrap_or(Category::Vps)
}

fn order_url(table: &mut TomlTable<'_>) -> Option<String> {
    table.value(
        "order_url",
        "a path or a URL that starts with https://",
        |value| {
            let text = value.as_str()?;
            let is_path = text.starts_with('/') && !text.starts_with("//");
            let is_web = Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
            (is_path || is_web).then(|| text.to_owned())
        },
    )
}

fn specs(plan: &mut TomlTable<'_>, faults: &mut Vec<Fault>) -> Specs {
    let Some(mut table) = plan.table("specs") else {
        return Specs::default();
    };
    let specs = Specs {
        cpu_cores: table.number("cpu_cores"),
        memory_mb: table.whole("memory_mb"),
        disk_gb: table.whole("disk_gb"),
        disk_type: table.text("disk_type"),
        traffic_gb: table.whole("traffic_gb"),
        bandwidth_mbit: table.whole("bandwidth_mbit"),
        slots: table.whole("slots"),
        backups: table.whole("backups"),
        locations: table.texts("locations").unwrap_or_default(),
    };
    table.finish(faults);
    specs
}

fn prices(plan: &mut TomlTable<'_>, faults: &mut Vec<Fault>) -> Vec<Price> {
    let mut prices: Vec<Price> = Vec::new();
    let tables = plan.tables("prices");
    if tables.is_empty() && !plan.has_fault_about("prices") {
        plan.missing("prices");
    }
    for mut table in tables {
        let Some(price) = price(&mut table) else {
            table.finish(faults);
            continue;
        };
        let is_same =
            |other: &Price| (other.period, &other.currency) == (price.period, &price.currency);
        if prices.iter().any(is_same) {
            table.fault(
                table.line(),
                "there are two prices for this period and currency",
            );
        }
        prices.push(price);
        table.finish(faults);
    }
    prices
}

fn price(table: &mut TomlTable<'_>) -> Option<Price> {
    let period = table.word("period", &PERIODS);
    let amount = table.whole("amount_minor");
    let currency = table.value("currency", "three capital letters such as EUR", |value| {
        let text = value.as_str()?;
        let is_code = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase());
        is_code.then(|| text.to_owned())
    });
    let setup_minor = table.whole("setup_minor").unwrap_or_default();
    let tax_included = table.flag("tax_included").unwrap_or_default();
    for (key, is_present) in [
        ("period", period.is_some()),
        ("amount_minor", amount.is_some()),
        ("currency", currency.is_some()),
    ] {
        if !is_present && !table.has_fault_about(key) {
            table.missing(key);
        }
    }
    Some(Price {
        period: period?,
        amount_minor: amount?,
        currency: currency?,
        setup_minor,
        tax_included,
    })
}

fn translations(
    plan: &mut TomlTable<'_>,
    faults: &mut Vec<Fault>,
) -> BTreeMap<String, Translation> {
    let Some(mut tables) = plan.table("translations") else {
        return BTreeMap::new();
    };
    let mut translations = BTreeMap::new();
    for (locale, mut table) in tables.named_tables() {
        let words = Translation {
            name: table.text("name"),
            description: table.text("description"),
            features: table.texts("features"),
            badge: table.text("badge"),
        };
        table.finish(faults);
        translations.insert(locale.to_owned(), words);
    }
    tables.finish(faults);
    translations
}
