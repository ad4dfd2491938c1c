//! The HTTP interface of the start page and the mailbox.

use innkeeper_service::testing::TestDatabase;
use reqwest::Response;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use crate::support::{Up, folder};

async fn get(up: &Up, path: &str) -> Response {
    reqwest::get(format!("{}{path}", up.portal_url))
        .await
        .unwrap()
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> &'h str {
    headers[name].to_str().unwrap()
}

/// Waits for a mail and returns the newest one of the mailbox.
async fn newest(up: &mut Up) -> Value {
    up.next_mail().await;
    let mails: Value = get(up, "/portal/mails").await.json().await.unwrap();
    mails[0].clone()
}

#[tokio::test]
async fn pages_load_nothing_from_elsewhere_and_work_without_their_client() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = Up::on(&database, &folder.path().join("inn")).await;
    assert_eq!(up.document()["portal_url"], up.portal_url);
    assert_eq!(
        up.document()["mailbox_url"],
        format!("{}/mailbox", up.portal_url)
    );
    let config: Value = get(&up, "/portal/config.json").await.json().await.unwrap();
    assert_eq!(config["auth_url"], up.url);
    assert_eq!(config["hosting_url"], up.hosting_url);
    assert_eq!(config["client"], cfg!(feature = "portal-client"));
    let client = get(&up, "/portal/auth-js.js").await.status().as_u16();
    let expected = if cfg!(feature = "portal-client") {
        200
    } else {
        404
    };
    assert_eq!(client, expected);

    for path in [
        "/",
        "/mailbox",
        "/blog/turku-is-open",
        "/kb/vps/first-steps",
    ] {
        let page = get(&up, path).await;
        assert_eq!(page.status(), 200, "{path}");
        let policy = text(page.headers(), "content-security-policy").to_owned();
        assert!(policy.starts_with("default-src 'none'; script-src 'self' http://"));
        assert!(!policy.contains("unsafe"), "{policy}");
        assert!(
            policy.contains(&format!("connect-src 'self' {} http://", up.url)),
            "{policy}"
        );
        assert_eq!(text(page.headers(), "x-frame-options"), "DENY");
        let html = page.text().await.unwrap();
        for forbidden in ["://", " style=", " onclick=", "<style", "<script>"] {
            assert!(!html.contains(forbidden), "{path}: {forbidden}");
        }
        for part in html.split('"').filter(|part| part.starts_with("/portal/")) {
            assert_eq!(get(&up, part).await.status(), 200, "{part}");
        }
    }
    up.process.stop().await;
}

#[tokio::test]
async fn both_servers_approve_the_portal_whatever_else_the_settings_approve() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let data = folder.path().join("inn");
    let mut command = Up::command(&data);
    command
        .env("DATABASE_URL", database.url())
        .env("AUTH_SITE_URL", "https://app.example.com")
        .env("AUTH_URI_ALLOW_LIST", "https://other.example.com/")
        .env("HOSTING_CORS_ORIGINS", "https://app.example.com");
    let mut up = Up::from(&mut command, &data).await;
    let by_name = up.portal_url.replace("127.0.0.1", "localhost");
    let health = up.hosting_url.replace("/v1", "/health");
    for (origin, email) in [
        (up.portal_url.clone(), "ada@example.com"),
        (by_name, "grace@example.com"),
    ] {
        for url in [&health, &format!("{}/health", up.url)] {
            let request = reqwest::Client::new().get(url.as_str());
            let answer = request.header("origin", &origin).send().await.unwrap();
            let approved = text(answer.headers(), "access-control-allow-origin");
            assert!(approved == origin || approved == "*", "{url}: {approved}");
        }
        let body = json!({ "email": email });
        let path = format!("/otp?redirect_to={origin}/");
        assert_eq!(up.post(&path, body).await.0, 200);
        let link = up.next_mail().await["link"].as_str().unwrap().to_owned();
        assert!(link.ends_with(&format!("redirect_to={origin}/")), "{link}");
    }
    up.process.stop().await;
}

#[tokio::test]
async fn mails_are_shown_without_rights_and_to_this_machine_alone() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let mut up = Up::on(&database, &folder.path().join("inn")).await;
    for path in ["/", "/mailbox", "/portal/mails", "/portal/config.json"] {
        let request = reqwest::Client::new().get(format!("{}{path}", up.portal_url));
        let refused = request.header("host", "evil.example").send().await.unwrap();
        assert_eq!(refused.status(), 421, "{path} by the name of a stranger");
    }

    let events = get(&up, "/portal/mails/events").await;
    assert_eq!(text(events.headers(), "content-type"), "text/event-stream");
    let body = json!({ "email": "ada@example.com", "password": "correct-horse-9" });
    assert_eq!(up.post("/signup", body).await.0, 200);
    let mail = newest(&mut up).await;
    assert_eq!(mail["to"], json!(["ada@example.com"]));
    assert_eq!(mail["subject"], "Confirm Your Signup");
    let number = &mail["number"];
    let mail: Value = get(&up, &format!("/portal/mails/{number}"))
        .await
        .json()
        .await
        .unwrap();
    let link = mail["link"].as_str().unwrap();
    // Without another site, links lead to the start page.
    assert!(
        link.ends_with(&format!("redirect_to={}", up.portal_url)),
        "{link}"
    );
    assert!(mail["text"].as_str().unwrap().contains(link));

    let html = get(&up, &format!("/portal/mails/{number}/html")).await;
    let policy = text(html.headers(), "content-security-policy").to_owned();
    assert!(policy.starts_with("sandbox allow-popups"), "{policy}");
    assert!(policy.contains("default-src 'none'"), "{policy}");
    assert!(policy.contains("img-src data:;"), "{policy}");
    for right in ["allow-scripts", "allow-same-origin", "script-src"] {
        assert!(!policy.contains(right), "{policy}");
    }
    for path in ["/portal/mails/999", "/portal/mails/999/html", "/portal/x"] {
        assert_eq!(get(&up, path).await.status(), 404, "{path}");
    }
    assert_eq!(get(&up, "/portal/mails/one").await.status(), 400);

    let request = reqwest::Client::new().delete(format!("{}/portal/mails", up.portal_url));
    assert_eq!(request.send().await.unwrap().status(), 204);
    let mails: Value = get(&up, "/portal/mails").await.json().await.unwrap();
    assert_eq!(mails, json!([]));
    // An open event stream does not prevent the portal from stopping.
    up.process.stop().await;
    drop(events);
}

#[tokio::test]
async fn text_messages_are_shown_in_the_mailbox() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let mut up = Up::on(&database, &folder.path().join("inn")).await;
    let body = json!({ "phone": "+49 30 1234567" });
    assert_eq!(up.post("/otp", body).await.0, 200);
    let mail = newest(&mut up).await;
    assert_eq!(mail["to"], json!(["49301234567@sms.invalid"]));
    assert_eq!(mail["subject"], "SMS to +49301234567");
    let path = format!("/portal/mails/{}", mail["number"]);
    let mail: Value = get(&up, &path).await.json().await.unwrap();
    let text = mail["text"].as_str().unwrap().trim();
    let code = text.strip_prefix("Your code is ").unwrap();
    let body = json!({ "type": "sms", "phone": "49301234567", "token": code });
    assert_eq!(up.post("/verify", body).await.0, 200);
    up.process.stop().await;
}
