//! The targets of redirects. Those of attackers are in `attacks/redirects.rs`.

use innkeeper_auth::config::Config;
use innkeeper_rest::Method;
use serde_json::json;

use crate::support::mail_flows::without_pauses;
use crate::support::profile::gotrue;
use crate::support::{Answer, TestApp};

fn encode(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// Follows an invalid link, which redirects by the same rule as a valid one.
async fn follow(app: &TestApp, redirect_to: &str) -> Answer {
    let target = format!(
        "/verify?type=signup&token=forged&redirect_to={}",
        encode(redirect_to)
    );
    app.get(&target).await
}

#[tokio::test]
async fn the_header_wins_over_the_query_and_the_query_over_the_referer() {
    let app = TestApp::start().await;
    let page = |name: &str| format!("http://localhost:3000/{name}");
    let (header, query, referer) = (page("header"), page("query"), page("referer"));
    let target = |query: &str| {
        format!(
            "/verify?type=signup&token=forged&redirect_to={}",
            encode(query)
        )
    };
    for (headers, query, landing) in [
        (
            vec![("redirect_to", &header), ("referer", &referer)],
            query.as_str(),
            &header,
        ),
        (vec![("referer", &referer)], query.as_str(), &query),
        (vec![("referer", &referer)], "", &referer),
        (vec![("referer", &referer)], "https://eve.example", &referer),
        (
            vec![("redirect_to", &"https://eve.example".to_owned())],
            query.as_str(),
            &query,
        ),
    ] {
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let answer = app.send(Method::GET, &target(query), &headers, None).await;
        assert_eq!(answer.landing(), landing);
    }
}

#[tokio::test]
async fn std_allows_every_port_of_the_site_and_gotrue_its_own() {
    let at = |site: &str| {
        let site = site.to_owned();
        move |config: &mut Config| {
            config.site_url = site.parse().unwrap();
            config.site_url_as_written = site;
        }
    };
    let std = TestApp::with(at("https://inn.example/home")).await;
    let real = TestApp::with(|config| {
        gotrue(config);
        at("https://inn.example/home")(config);
    })
    .await;
    for (wanted, in_std, in_gotrue) in [
        ("https://inn.example/deep/page", true, true),
        ("https://inn.example:443/page", true, true),
        ("https://inn.example:8443/page", true, false),
        ("http://inn.example/page", false, false),
        ("https://sub.inn.example/page", false, false),
        ("http://127.0.0.1:5173/page", false, true),
        ("http://[::1]:5173/page", false, true),
        ("http://10.0.0.1/page", false, false),
    ] {
        for (app, allowed) in [(&std, in_std), (&real, in_gotrue)] {
            let landing = if allowed {
                wanted
            } else {
                "https://inn.example/home"
            };
            assert_eq!(follow(app, wanted).await.landing(), landing);
        }
    }
}

#[tokio::test]
async fn the_encrypted_pages_of_a_site_without_encryption_are_allowed_and_not_the_reverse() {
    let app = TestApp::start().await;
    for page in ["http://localhost/in", "https://localhost:8443/in"] {
        assert_eq!(follow(&app, page).await.landing(), page);
    }
    let app = TestApp::with(|config| {
        config.site_url = "https://inn.example".parse().unwrap();
        "https://inn.example".clone_into(&mut config.site_url_as_written);
    })
    .await;
    let answer = follow(&app, "http://inn.example/in").await;
    assert_eq!(answer.landing(), "https://inn.example");
}

#[tokio::test]
async fn the_allow_list_names_more_places() {
    let app = TestApp::with(|config| {
        config.uri_allow_list = [
            "https://*.inn.example/**",
            "https://app.example/*/in",
            "innapp://callback",
            "https://{one,two}.example",
        ]
        .map(str::to_owned)
        .to_vec();
    })
    .await;
    for (wanted, allowed) in [
        ("https://a.inn.example/x/y.z?q#f", true),
        ("https://a.b.inn.example/x", false),
        ("https://eve.example/.inn.example/x", false),
        ("https://app.example/x/in", true),
        ("https://app.example/x/y/in", false),
        ("https://app.example/x.y/in", false),
        ("innapp://callback", true),
        ("innapp://callback/other", false),
        ("https://two.example", true),
        ("https://three.example", false),
    ] {
        let answer = follow(&app, wanted).await;
        let base = wanted.split(['?', '#']).next().unwrap();
        let landing = if allowed {
            base
        } else {
            "http://localhost:3000"
        };
        assert_eq!(answer.landing(), landing, "{wanted}");
    }
}

#[tokio::test]
async fn the_site_is_written_as_its_operator_wrote_it() {
    for site in [
        "http://localhost:3000",
        "http://localhost:3000/",
        "https://Inn.Example:443/Home?a=b",
    ] {
        let app = TestApp::with(|config| {
            config.site_url = site.parse().unwrap();
            config.site_url_as_written = site.to_owned();
        })
        .await;
        let mail = app.mail_of_signup("ada@example.com").await;
        assert!(mail.text.contains(site), "{}", mail.text);
        let link = mail.link();
        let (_, redirect_to) = link
            .query_pairs()
            .find(|(name, _)| name == "redirect_to")
            .unwrap();
        assert_eq!(redirect_to, site);
        let location = app.follow(&mail).await.location().to_owned();
        assert!(
            location.starts_with(&format!("{site}#access_token=")),
            "{location}"
        );
    }
}

#[tokio::test]
async fn the_setting_is_kept_as_written() {
    let lines = "AUTH_SITE_URL=' https://inn.example '\nAUTH_API_EXTERNAL_URL=http://localhost:8081\n\
                 AUTH_DB_DRIVER=postgres\nAUTH_DATABASE_URL=postgres://localhost/auth\n\
                 AUTH_JWT_SECRET=a-secret-of-forty-letters-for-the-tests!\n\
                 AUTH_SMTP_ADMIN_EMAIL=admin@example.com\nAUTH_SMTP_HOST=localhost\nAUTH_SMTP_PORT=25\n";
    let mut reader = innkeeper_auth::config::reader().with_env_file(lines);
    let config = Config::read(&mut reader).unwrap();
    assert_eq!(config.site_url.as_str(), "https://inn.example/");
    assert_eq!(config.site_url_as_written, "https://inn.example");
}

#[tokio::test]
async fn a_redirect_stays_readable_in_a_link_unless_it_would_be_misread() {
    let app = TestApp::with(without_pauses).await;
    for (page, written) in [
        ("http://localhost:3000/in", "http://localhost:3000/in"),
        (
            "http://localhost:3000/in?a=b&c=d",
            "http%3A%2F%2Flocalhost%3A3000%2Fin%3Fa%3Db%26c%3Dd",
        ),
        (
            "http://localhost:3000/in#x",
            "http%3A%2F%2Flocalhost%3A3000%2Fin%23x",
        ),
    ] {
        let target = format!("/otp?redirect_to={}", encode(page));
        app.post(&target, json!({ "email": "ada@example.com" }))
            .await
            .ok();
        let mail = app.mailbox.next_to("ada@example.com").await;
        let link = mail.link().to_string();
        assert!(
            link.starts_with("http://localhost:8081/verify?token="),
            "{link}"
        );
        assert!(link.ends_with(&format!("&redirect_to={written}")), "{link}");
        let base = page.split_once('#').map_or(page, |(base, _)| base);
        let location = app.follow(&mail).await.location().to_owned();
        assert!(
            location.starts_with(&format!("{base}#access_token=")),
            "{location}"
        );
    }
}
