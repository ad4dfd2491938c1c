//! Rate limits of clients.

use innkeeper_rest::filter::{Quota, TrustedProxies};

use crate::support::{Answer, Site};

async fn site() -> Site {
    Site::start(&[("images/a.png", "x")], |config| {
        let two = Quota::per_minute(1).with_burst(2);
        config.limits.public = two;
        config.limits.content = two;
        config.limits.health = two;
        config.limits.assets = two;
        config.limits.control = two;
        config.limits.console = two;
        config.http.trusted_proxies = TrustedProxies::new(["127.0.0.1"]).unwrap();
    })
    .await
}

#[tokio::test]
async fn every_kind_of_path_has_a_bucket_of_its_own_and_everything_counts() {
    let site = site().await;
    for (policy, targets) in [
        ("health", ["/health", "/health"]),
        ("public", ["/v1/plans", "/v1/nowhere"]),
        ("content", ["/v1/blog/list", "/v1/kb/article"]),
        (
            "assets",
            ["/v1/assets/images/a.png", "/v1/assets/nothing.png"],
        ),
        (
            "control",
            ["/v1/hosting/key", "/v1/hosting/game/power/x/start"],
        ),
        (
            "console",
            [
                "/v1/hosting/game/console/x/websocket",
                "/v1/hosting/game/console/y/websocket",
            ],
        ),
    ] {
        for (target, remaining) in targets.into_iter().zip(["1", "0"]) {
            let answer = site
                .send(if remaining == "0" { "DELETE" } else { "GET" }, target, &[])
                .await;
            assert_ne!(answer.status, 429, "{target}");
            assert_eq!(answer.header("x-ratelimit-limit"), Some("2"));
            assert_eq!(answer.header("x-ratelimit-remaining"), Some(remaining));
            assert_eq!(
                answer.header("ratelimit-policy"),
                Some(&*format!("\"{policy}\";q=1;w=60;burst=2"))
            );
        }
        for target in targets {
            let refused = site.get(target).await;
            assert_eq!(refused.status, 429, "{target}");
            let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
            assert!((1..=60).contains(&wait), "{wait}");
            let reset: u64 = refused
                .header("x-ratelimit-reset")
                .unwrap()
                .parse()
                .unwrap();
            assert!((60..=120).contains(&reset), "seconds from now: {reset}");
            assert_format(&refused, target, wait);
            assert!(
                refused
                    .header("ratelimit")
                    .unwrap()
                    .starts_with(&format!("\"{policy}\";r=0;t="))
            );
        }
    }
}

#[tokio::test]
async fn every_endpoint_counts_the_requests_of_each_address() {
    let site = Site::start(&[], |config| {
        config.content.dir = None;
        let one = Quota::per_minute(1);
        config.limits.public = one;
        config.limits.content = one;
        config.limits.health = one;
        config.limits.assets = one;
        config.limits.widget = one;
        config.limits.feedback = one;
        config.limits.control = one;
        config.limits.console = one;
        config.http.trusted_proxies = TrustedProxies::new(["127.0.0.1"]).unwrap();
    })
    .await;
    let mut routes = innkeeper_hosting::route_table();
    routes.push(("GET", "/v1/nowhere".to_owned()));
    routes.push(("GET", "/nowhere".to_owned()));
    assert!(routes.len() > 20);
    for (number, (method, path)) in routes.iter().enumerate() {
        let path = path.replace("{*path}", "a.png").replace(['{', '}'], "");
        let ask = async |client: String| {
            let headers = [("x-forwarded-for", client.as_str())];
            let answer = site.send(method, &path, &headers).await;
            assert!(answer.header("ratelimit").is_some(), "{method} {path}");
            answer.status
        };
        // Two addresses for each route.
        let (one, other) = (format!("10.0.{number}.1"), format!("10.0.{number}.2"));
        assert_ne!(ask(one.clone()).await, 429, "{method} {path}");
        assert_eq!(ask(one).await, 429, "{method} {path}");
        assert_ne!(ask(other.clone()).await, 429, "{method} {path}");
        assert_eq!(ask(other).await, 429, "{method} {path}");
    }
}

/// Asserts that a refusal is text, or JSON for programs.
fn assert_format(refused: &Answer, target: &str, wait: u64) {
    let content_type = if target.starts_with("/v1/hosting/") {
        let problem = refused.json();
        assert_eq!(problem["code"], "rate_limited");
        assert_eq!(problem["retryAfter"], wait);
        "application/problem+json"
    } else {
        "text/plain; charset=utf-8"
    };
    assert_eq!(refused.header("content-type"), Some(content_type));
}

#[tokio::test]
async fn each_address_is_counted_and_of_version_6_each_network() {
    let site = site().await;
    let ask = async |client: &str| {
        site.get_with("/v1/plans", &[("x-forwarded-for", client)])
            .await
            .status
    };
    assert_eq!(
        (
            ask("192.0.2.1").await,
            ask("192.0.2.1").await,
            ask("192.0.2.1").await
        ),
        (200, 200, 429)
    );
    assert_eq!(ask("192.0.2.2").await, 200);
    assert_eq!(
        (
            ask("2001:db8::1").await,
            ask("2001:db8::2").await,
            ask("2001:db8::3").await
        ),
        (200, 200, 429)
    );
    assert_eq!(ask("2001:db8:0:1::1").await, 200);
}

#[tokio::test]
async fn nobody_but_a_trusted_proxy_says_who_the_client_is() {
    let site = Site::start(&[], |config| config.limits.public = Quota::per_minute(1)).await;
    let ask = async |client: &str| {
        site.get_with("/v1/plans", &[("x-forwarded-for", client)])
            .await
            .status
    };
    assert_eq!((ask("192.0.2.1").await, ask("192.0.2.2").await), (200, 429));
}
