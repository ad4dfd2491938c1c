//! Tests of `plans.toml`.

use jiff::Timestamp;

use super::{Category, Period, PlanFilter, Stock, parse};

const GOOD: &str = r#"
updated_at = 2026-10-01T09:00:00Z

[[plans]]
id = "vps-m"
name = "VPS M"
category = "vps"
description = "For a shop"
features = ["Snapshots"]
badge = "popular"
order_url = "https://inn.example/order/vps-m"
sort_order = 20
specs = { cpu_cores = 2, memory_mb = 4096, disk_gb = 80, disk_type = "nvme", locations = ["fsn"] }

[[plans.prices]]
period = "month"
amount_minor = 990
currency = "EUR"
tax_included = true

[[plans.prices]]
period = "month"
amount_minor = 1090
currency = "USD"

[plans.translations.de]
description = "Für einen Laden"

[[plans]]
id = "game-s"
name = "Game S"
category = "game"
stock = "out"
sort_order = 10
prices = [{ period = "month", amount_minor = 500, currency = "EUR", setup_minor = 100 }]
"#;

fn faults(text: &str) -> Vec<(usize, String)> {
    let faults = parse(text, Timestamp::UNIX_EPOCH).unwrap_err();
    faults
        .into_iter()
        .map(|fault| (fault.line, fault.message))
        .collect()
}

#[test]
fn a_catalog_is_read_and_sorted() {
    let catalog = parse(GOOD, Timestamp::UNIX_EPOCH).unwrap();
    assert_eq!(
        catalog.updated_at.unwrap().to_string(),
        "2026-10-01T09:00:00Z"
    );
    let ids: Vec<_> = catalog.plans.iter().map(|plan| plan.id.as_str()).collect();
    assert_eq!(ids, ["game-s", "vps-m"]);
    let (game, vps) = (&catalog.plans[0], &catalog.plans[1]);
    assert_eq!((game.stock, game.available), (Stock::Out, false));
    assert_eq!(game.prices[0].setup_minor, 100);
    assert_eq!(
        (vps.category, vps.stock, vps.available),
        (Category::Vps, Stock::InStock, true)
    );
    assert_eq!(vps.slug, "vps-m");
    assert_eq!(vps.specs.cpu_cores, Some(2.0));
    assert_eq!(vps.specs.slots, None);
    assert_eq!(vps.prices[0].period, Period::Month);
    assert!(vps.prices[0].tax_included);
}

#[test]
fn plans_are_chosen_by_category_currency_and_language() {
    let catalog = parse(GOOD, Timestamp::UNIX_EPOCH).unwrap();
    let ids = |filter: &PlanFilter| {
        let plans = catalog.select(filter).into_iter();
        plans.map(|plan| plan.id).collect::<Vec<_>>()
    };
    let game = PlanFilter {
        categories: vec![Category::Game],
        ..PlanFilter::default()
    };
    assert_eq!(ids(&game), ["game-s"]);
    let dollars = PlanFilter {
        currency: Some("USD".to_owned()),
        ..PlanFilter::default()
    };
    assert_eq!(ids(&dollars), ["vps-m"]);
    assert_eq!(catalog.select(&dollars)[0].prices.len(), 1);
    for (locale, expected) in [
        ("de", "Für einen Laden"),
        ("de-AT", "Für einen Laden"),
        ("fr", "For a shop"),
    ] {
        let filter = PlanFilter {
            locale: Some(locale.to_owned()),
            ..PlanFilter::default()
        };
        assert_eq!(catalog.select(&filter)[1].description, expected, "{locale}");
    }
}

#[test]
fn everything_that_is_wrong_is_reported_with_its_line() {
    let text = r#"
colour = "red"

[[plans]]
id = "a"
name = 7
category = "boat"
specs = { cpu_cores = -1, memory = 4 }

[[plans]]
id = "a"
name = "A"
category = "vps"
order_url = "javascript:alert(1)"
prices = [
  { period = "month", amount_minor = 1.5, currency = "eur" },
  { period = "month", amount_minor = 1, currency = "EUR" },
  { period = "month", amount_minor = 2, currency = "EUR" },
]

[[plans]]
name = "B"
prices = []
"#;
    let expected = [
        (2, "`colour` is not a known key"),
        (4, "plan `a`: `prices` is missing"),
        (6, "plan `a`: `name`: expected text that is not empty"),
        (7, "plan `a`: `category`: expected one of vps, game, web"),
        (8, "plan `a`: specs: `cpu_cores`: expected a number above 0"),
        (8, "plan `a`: specs: `memory` is not a known key"),
        (10, "plan `a`: the id is used twice"),
        (10, "plan `a`: the slug `a` is taken"),
        (
            14,
            "plan `a`: `order_url`: expected a path or a URL that starts with https://",
        ),
        (
            16,
            "plan `a`: prices 1: `amount_minor`: expected a whole number from 0",
        ),
        (
            16,
            "plan `a`: prices 1: `currency`: expected three capital letters such as EUR",
        ),
        (18, "there are two prices for this period and currency"),
        (21, "plans 3: `category` is missing"),
        (21, "plans 3: `id` is missing"),
        (21, "plans 3: `prices` is missing"),
    ];
    let mut found = faults(text);
    found.sort();
    let found: Vec<_> = found
        .iter()
        .map(|(line, message)| (*line, message.as_str()))
        .collect();
    let mut sorted = expected.to_vec();
    sorted.sort_unstable();
    assert_eq!(found, sorted);
}

#[test]
fn broken_toml_names_its_line() {
    let found = faults("updated_at = 2026-10-01T09:00:00Z\n[[plans]\nid = \n");
    assert!(
        found.iter().all(|(line, _)| (2..=3).contains(line)),
        "{found:?}"
    );
    assert!(parse("", Timestamp::UNIX_EPOCH).unwrap().plans.is_empty());
}
