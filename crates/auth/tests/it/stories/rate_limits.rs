//! Rate limits per client, and how clients are told apart.

use std::net::{IpAddr, SocketAddr};

use innkeeper_auth::config::{Config, Rate};
use innkeeper_rest::Method;
use innkeeper_rest::filter::TrustedProxies;
use serde_json::{Value, json};

use crate::support::profile::gotrue;
use crate::support::{API_VERSION_2024, Answer, TestApp};

const HERE: &str = "192.0.2.1";
const THERE: &str = "192.0.2.2";

/// The endpoints that are rate limited.
const LIMITED: [(&str, &str); 9] = [
    ("POST", "/signup"),
    ("POST", "/recover"),
    ("POST", "/resend"),
    ("POST", "/magiclink"),
    ("POST", "/otp"),
    ("PUT", "/user"),
    ("POST", "/verify"),
    ("POST", "/token?grant_type=password"),
    ("POST", "/token?grant_type=refresh_token"),
];

/// Limits every endpoint to two calls.
fn two(config: &mut Config) {
    config.rate_limit.otp = 2.0;
    config.rate_limit.verify = 2.0;
    config.rate_limit.token_refresh = 2.0;
}

/// Sends a request from an address with headers. The body is invalid, which counts all the same.
async fn call(
    app: &TestApp,
    (method, target): (&str, &str),
    from: &str,
    headers: &[(&str, &str)],
) -> Answer {
    let from: IpAddr = from.parse().unwrap();
    let method: Method = method.parse().unwrap();
    let mut request = app
        .client
        .request(method, target)
        .from_peer(SocketAddr::new(from, 40_000))
        .json(&json!({}));
    for (name, value) in headers {
        request = request.header(name, value);
    }
    Answer::new(request.send().await)
}

/// Asserts that the rate limit refused the request, and returns the seconds to wait.
#[track_caller]
fn limited(answer: Answer) -> i64 {
    let wait: i64 = answer.header("retry-after").unwrap().parse().unwrap();
    let body = answer.refused(429, "over_request_rate_limit");
    assert_eq!(body["msg"], "Request rate limit reached");
    wait
}

#[track_caller]
fn free(answer: &Answer) {
    assert_ne!(answer.status, 429, "{}", answer.text);
    assert!(answer.status < 500, "{}", answer.text);
}

#[tokio::test]
async fn each_endpoint_counts_by_itself_and_by_address() {
    let app = TestApp::with(two).await;
    for route in LIMITED {
        // Each route has its own address, so that both grants of `/token` start with a full limit.
        let from = format!("192.0.2.{}", route.1.len());
        for _ in 0..2 {
            free(&call(&app, route, &from, &[]).await);
        }
        let wait = limited(call(&app, route, &from, &[]).await);
        // The limit refills by one every two and a half minutes.
        assert!((100..=150).contains(&wait), "{route:?} {wait}");
        free(&call(&app, route, "198.51.100.1", &[]).await);
        // After the announced wait, one request is allowed.
        app.advance(wait);
        free(&call(&app, route, &from, &[]).await);
        limited(call(&app, route, &from, &[]).await);
        app.advance(300);
    }
}

#[tokio::test]
async fn what_is_counted_together_and_what_is_not() {
    let app = TestApp::with(two).await;
    // All grants and all spellings of the path count together.
    free(&call(&app, ("POST", "/token?grant_type=password"), HERE, &[]).await);
    free(&call(&app, ("POST", "/token/?grant_type=pkce"), HERE, &[]).await);
    limited(call(&app, ("POST", "/token?grant_type=refresh_token"), HERE, &[]).await);
    for other in ["/%74oken", "//token", "/token;a=1", "/TOKEN"] {
        let answer = call(&app, ("POST", other), HERE, &[]).await;
        assert!(
            matches!(answer.status, 404 | 429),
            "{other}: {}",
            answer.status
        );
    }
    // Links and codes count together.
    free(&call(&app, ("GET", "/verify?type=signup&token=x"), HERE, &[]).await);
    free(&call(&app, ("POST", "/verify"), HERE, &[]).await);
    limited(call(&app, ("GET", "/verify?type=signup&token=x"), HERE, &[]).await);
    limited(call(&app, ("POST", "/verify/"), HERE, &[]).await);
    // Reading an account does not count as a change.
    for _ in 0..2 {
        free(&call(&app, ("PUT", "/user"), HERE, &[]).await);
    }
    limited(call(&app, ("PUT", "/user"), HERE, &[]).await);
    for _ in 0..10 {
        for route in [
            ("GET", "/user"),
            ("GET", "/health"),
            ("GET", "/settings"),
            ("GET", "/.well-known/jwks.json"),
            ("POST", "/logout"),
            ("GET", "/admin/users"),
            ("OPTIONS", "/token"),
        ] {
            free(&call(&app, route, HERE, &[]).await);
        }
    }
}

#[tokio::test]
async fn the_refusal_has_both_shapes_and_can_be_read_by_pages() {
    let app = TestApp::with(two).await;
    let route = ("POST", "/otp");
    for _ in 0..2 {
        call(&app, route, HERE, &[]).await;
    }
    let origin = ("Origin", "https://app.example.com");
    let answer = call(&app, route, HERE, &[API_VERSION_2024, origin]).await;
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    let exposed = answer.header("access-control-expose-headers").unwrap();
    assert!(exposed.to_lowercase().contains("retry-after"), "{exposed}");
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("x-ratelimit-remaining"), Some("0"));
    let body = answer.refused(429, "over_request_rate_limit");
    assert_eq!(body["code"], "over_request_rate_limit");
    assert_eq!(body["message"], "Request rate limit reached");
}

#[tokio::test]
async fn the_defaults_are_those_of_the_reference() {
    let defaults = Config::for_tests().rate_limit;
    let app = TestApp::with(|config| config.rate_limit = defaults).await;
    for ((method, target), policy) in LIMITED.into_iter().zip([
        "\"signup\";q=30;w=300",
        "\"recover\";q=30;w=300",
        "\"resend\";q=30;w=300",
        "\"magiclink\";q=30;w=300",
        "\"otp\";q=30;w=300",
        "\"user\";q=30;w=300",
        "\"verify\";q=30;w=300",
        "\"token\";q=150;w=300;burst=30",
        "\"token\";q=150;w=300;burst=30",
    ]) {
        let answer = call(&app, (method, target), HERE, &[]).await;
        assert_eq!(answer.header("ratelimit-policy"), Some(policy), "{target}");
    }
}

#[tokio::test]
async fn what_a_stranger_says_about_its_address_does_not_help() {
    let app = TestApp::with(two).await;
    for number in 0..2 {
        let said = format!("203.0.113.{number}");
        let headers = [
            ("X-Forwarded-For", said.as_str()),
            ("Sb-Forwarded-For", said.as_str()),
            ("Forwarded", "for=203.0.113.77"),
            ("X-Real-Ip", said.as_str()),
        ];
        free(&call(&app, ("POST", "/otp"), HERE, &headers).await);
    }
    let headers = [("X-Forwarded-For", "203.0.113.9")];
    limited(call(&app, ("POST", "/otp"), HERE, &headers).await);
}

#[tokio::test]
async fn past_trusted_proxies_clients_are_told_apart() {
    let app = TestApp::with(|config| {
        two(config);
        let proxies = ["192.0.2.0/24", "2001:db8:ffff::/48"];
        config.trusted_proxies = TrustedProxies::new(proxies).unwrap();
    })
    .await;
    let route = ("POST", "/otp");
    for client in ["203.0.113.1", "203.0.113.2"] {
        // The client controls the start of the header; two trusted proxies append the rest.
        let chains = [
            format!("{client}, 192.0.2.7"),
            format!("10.0.0.1, 192.0.2.9, {client}, 192.0.2.7"),
        ];
        for chain in &chains {
            free(&call(&app, route, HERE, &[("X-Forwarded-For", chain)]).await);
        }
        let (one, two) = (chains[0].as_str(), chains[1].as_str());
        limited(call(&app, route, HERE, &[("X-Forwarded-For", one)]).await);
        limited(call(&app, route, THERE, &[("X-Forwarded-For", two)]).await);
        let lines = [("X-Forwarded-For", "nonsense"), ("X-Forwarded-For", client)];
        limited(call(&app, route, HERE, &lines).await);
    }
}

#[tokio::test]
async fn a_thousand_forwarded_addresses_change_nothing() {
    let app = TestApp::with(|config| {
        two(config);
        config.trusted_proxies = TrustedProxies::new(["192.0.2.0/24"]).unwrap();
    })
    .await;
    let route = ("POST", "/otp");
    for filler in ["10.1.2.3", "192.0.2.77", "not an address", ""] {
        let many = vec![filler; 1000].join(",");
        let end = format!("203.0.113.{}", filler.len());
        let chain = format!("{many},{end}");
        for _ in 0..2 {
            free(&call(&app, route, HERE, &[("X-Forwarded-For", &chain)]).await);
        }
        limited(call(&app, route, HERE, &[("X-Forwarded-For", &end)]).await);
    }
}

#[tokio::test]
async fn a_customers_ipv6_network_is_one_client() {
    let app = TestApp::with(two).await;
    let route = ("POST", "/otp");
    free(&call(&app, route, "2001:db8:1:2::1", &[]).await);
    free(&call(&app, route, "2001:db8:1:2:ffff::9", &[]).await);
    limited(call(&app, route, "2001:db8:1:2:abcd::7", &[]).await);
    free(&call(&app, route, "2001:db8:1:3::1", &[]).await);
    // An IPv4 address and its IPv4-mapped IPv6 form count together.
    free(&call(&app, route, HERE, &[]).await);
    free(&call(&app, route, "::ffff:192.0.2.1", &[]).await);
    limited(call(&app, route, HERE, &[]).await);
}

#[tokio::test]
async fn the_header_of_the_setting_tells_clients_apart() {
    let app = TestApp::with(|config| {
        two(config);
        config.rate_limit.header = Some("x-client".parse().unwrap());
    })
    .await;
    for route in [("POST", "/token?grant_type=password"), ("POST", "/otp")] {
        for name in ["ada", "203.0.113.5", "2001:db8::1"] {
            let value = format!("{name}, 198.51.100.1");
            for _ in 0..2 {
                free(&call(&app, route, HERE, &[("X-Client", &value)]).await);
            }
            limited(call(&app, route, THERE, &[("X-Client", name)]).await);
        }
        limited(call(&app, route, HERE, &[("X-Client", "2001:db8::ffff")]).await);
        // Clients without the header are counted by address.
        for _ in 0..2 {
            free(&call(&app, route, HERE, &[]).await);
        }
        limited(call(&app, route, HERE, &[("X-Client", "")]).await);
        free(&call(&app, route, THERE, &[]).await);
    }
}

#[tokio::test]
async fn in_the_gotrue_profile_only_a_header_limits() {
    let route = ("POST", "/otp");
    let none = TestApp::with(|config| {
        gotrue(config);
        two(config);
    })
    .await;
    for _ in 0..40 {
        free(&call(&none, route, HERE, &[("X-Forwarded-For", "203.0.113.1")]).await);
    }
    let headers: [fn(&mut Config); 2] = [
        |config| config.rate_limit.header = Some("x-client".parse().unwrap()),
        |config| config.security.forwarded_for = Some("x-client".parse().unwrap()),
    ];
    for set in headers {
        let app = TestApp::with(|config| {
            gotrue(config);
            two(config);
            config.rate_limit.email_sent = Rate::PerHour(100_000);
            set(config);
        })
        .await;
        let named = [("X-Client", "203.0.113.1, 198.51.100.1")];
        // A burst of thirty is allowed, regardless of the configured number.
        for _ in 0..30 {
            free(&call(&app, route, HERE, &named).await);
        }
        limited(call(&app, route, THERE, &named).await);
        for _ in 0..40 {
            free(&call(&app, route, HERE, &[]).await);
        }
    }
}

#[tokio::test]
async fn the_platforms_header_wins_over_the_setting() {
    let app = TestApp::with(|config| {
        two(config);
        config.rate_limit.header = Some("x-client".parse().unwrap());
        config.security.forwarded_for = Some("my-cloud-forwarded-for".parse().unwrap());
        config.trusted_proxies = TrustedProxies::new([HERE]).unwrap();
    })
    .await;
    let route = ("POST", "/otp");
    for number in 0..2 {
        let name = format!("client-{number}");
        // The first value is the client.
        let addresses = format!("203.0.113.1, 198.51.100.{number}");
        let headers = [
            ("My-Cloud-Forwarded-For", addresses.as_str()),
            ("X-Client", name.as_str()),
        ];
        free(&call(&app, route, HERE, &headers).await);
    }
    for (addresses, is_limited) in [
        ("203.0.113.1", true),
        ("203.0.113.1, 198.51.100.9", true),
        ("203.0.113.2, 203.0.113.1", false),
    ] {
        let headers = [("My-Cloud-Forwarded-For", addresses), ("X-Client", "other")];
        let answer = call(&app, route, HERE, &headers).await;
        if is_limited {
            limited(answer);
        } else {
            free(&answer);
        }
    }
}

#[tokio::test]
async fn a_client_does_not_escape_by_naming_others_in_the_platforms_header() {
    let app = TestApp::with(|config| {
        two(config);
        config.security.forwarded_for = Some("sb-forwarded-for".parse().unwrap());
    })
    .await;
    let route = ("POST", "/otp");
    for number in 1..=2 {
        let address = format!("203.0.113.{number}");
        free(&call(&app, route, HERE, &[("Sb-Forwarded-For", &address)]).await);
    }
    limited(call(&app, route, HERE, &[("Sb-Forwarded-For", "203.0.113.3")]).await);
}

#[tokio::test]
async fn a_refused_call_does_nothing() {
    let app = TestApp::with(|config| {
        two(config);
        config.mailer.autoconfirm = true;
    })
    .await;
    for number in 0..5 {
        let body =
            json!({ "email": format!("u{number}@example.com"), "password": "correct horse" });
        app.post("/signup", body).await;
    }
    let users = "select count(*) from users";
    let count: i64 = app.sql().await.query_one(users, &[]).await.unwrap().get(0);
    assert_eq!(count, 2);
}

#[tokio::test]
async fn every_429_says_when_to_come_back() {
    let app = TestApp::with(|config| {
        config.rate_limit.verify = 2.0;
        config.security.password_failures = 1;
    })
    .await;
    let body = json!({ "email": "ada@example.com" });
    app.post("/recover", body.clone()).await.ok();
    let wrong = json!({ "email": "ada@example.com", "password": "wrong horse" });
    let first = app.post("/token?grant_type=password", wrong.clone()).await;
    first.failed(400);
    for _ in 0..2 {
        app.post("/verify", json!({})).await;
    }
    let requests: [(&str, Value); 3] = [
        ("/recover", body),
        ("/token?grant_type=password", wrong),
        ("/verify", json!({})),
    ];
    for (target, body) in requests {
        let answer = app.post(target, body).await;
        let wait = answer.header("retry-after").map(str::parse::<u32>);
        let is_told = matches!(wait, Some(Ok(1..)));
        assert!(is_told, "{target}: {} {wait:?}", answer.status);
        answer.failed(429);
    }
}
