//! `GET /v1/plans`.

use serde_json::{Value, json};

use crate::support::Site;

const PLANS: &str = r#"
updated_at = 2026-10-01T09:00:00Z

[[plans]]
id = "vps-m"
name = "VPS M"
category = "vps"
description = "For a shop"
features = ["Snapshots"]
badge = "popular"
order_url = "/order/vps-m"
specs = { cpu_cores = 2, memory_mb = 4096, disk_gb = 80, disk_type = "nvme", locations = ["Bremen"] }
prices = [
  { period = "month", amount_minor = 990, currency = "EUR", tax_included = true },
  { period = "month", amount_minor = 1090, currency = "USD" },
]
[plans.translations.de]
name = "VPS Mittel"

[[plans]]
id = "game-s"
name = "Game S"
category = "game"
stock = "out"
sort_order = 1
prices = [{ period = "month", amount_minor = 500, currency = "EUR", setup_minor = 100 }]
"#;

fn names(list: &Value) -> Vec<&str> {
    let plans = list["plans"].as_array().unwrap().iter();
    plans.map(|plan| plan["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_catalog_has_every_field() {
    let site = Site::with(&[("plans.toml", PLANS)]).await;
    let answer = site.get("/v1/plans").await;
    assert!(
        answer
            .header("cache-control")
            .unwrap()
            .contains("max-age=60")
    );
    assert_eq!(
        answer.json(),
        json!({
            "updatedAt": "2026-10-01T09:00:00.000Z",
            "plans": [
                {
                    "id": "vps-m", "slug": "vps-m", "name": "VPS M", "category": "vps", "description": "For a shop",
                    "specs": {
                        "cpuCores": 2.0, "memoryMb": 4096, "diskGb": 80, "diskType": "nvme", "trafficGb": null,
                        "bandwidthMbit": null, "slots": null, "backups": null, "locations": ["Bremen"],
                    },
                    "features": ["Snapshots"],
                    "prices": [
                        { "period": "month", "amountMinor": 990, "currency": "EUR", "setupMinor": 0, "taxIncluded": true },
                        { "period": "month", "amountMinor": 1090, "currency": "USD", "setupMinor": 0, "taxIncluded": false },
                    ],
                    "available": true, "stock": "in_stock", "badge": "popular", "orderUrl": "/order/vps-m", "sortOrder": 0,
                },
                {
                    "id": "game-s", "slug": "game-s", "name": "Game S", "category": "game", "description": "",
                    "specs": {
                        "cpuCores": null, "memoryMb": null, "diskGb": null, "diskType": null, "trafficGb": null,
                        "bandwidthMbit": null, "slots": null, "backups": null, "locations": [],
                    },
                    "features": [],
                    "prices": [
                        { "period": "month", "amountMinor": 500, "currency": "EUR", "setupMinor": 100, "taxIncluded": false },
                    ],
                    "available": false, "stock": "out", "badge": null, "orderUrl": null, "sortOrder": 1,
                },
            ],
        })
    );
}

#[tokio::test]
async fn plans_are_chosen_by_category_currency_and_locale() {
    let site = Site::with(&[("plans.toml", PLANS)]).await;
    for (query, expected) in [
        ("category=game", vec!["Game S"]),
        ("category=vps,web", vec!["VPS M"]),
        ("category=", vec!["VPS M", "Game S"]),
        ("currency=usd", vec!["VPS M"]),
        ("currency=JPY", vec![]),
        ("locale=de_AT", vec!["VPS Mittel", "Game S"]),
        ("locale=fr", vec!["VPS M", "Game S"]),
    ] {
        let list = site.get(&format!("/v1/plans?{query}")).await.json();
        assert_eq!(names(&list), expected, "{query}");
    }
    for (query, line) in [
        ("category=boat", "category: expected some of vps, game, web"),
        (
            "currency=euro",
            "currency: expected three letters such as EUR",
        ),
        (
            "locale=../../etc",
            "locale: expected a language such as de or de-AT",
        ),
    ] {
        site.get(&format!("/v1/plans?{query}"))
            .await
            .refused(400, line);
    }
}

#[tokio::test]
async fn a_broken_catalog_leaves_the_last_good_one() {
    let site = Site::with(&[("plans.toml", PLANS)]).await;
    let before = site.get("/v1/plans").await;
    site.write(
        "plans.toml",
        &PLANS.replace("category = \"game\"", "category = \"boat\""),
    );
    site.reload();
    assert_eq!(
        site.problems(),
        ["plans.toml:23: plan `game-s`: `category`: expected one of vps, game, web"]
    );
    assert_eq!(site.get("/v1/plans").await.body, before.body);
    site.write("plans.toml", "");
    site.reload();
    assert_eq!(site.problems(), [""; 0]);
    assert_eq!(names(&site.get("/v1/plans").await.json()), [""; 0]);
}

#[tokio::test]
async fn a_site_without_catalog_has_no_plans() {
    let site = Site::with(&[]).await;
    assert_eq!(
        site.get("/v1/plans").await.json(),
        json!({ "updatedAt": null, "plans": [] })
    );
}
