//! `GET /v1/hosting/key`, and keys that are valid.

use innkeeper_hosting::config::Pepper;
use innkeeper_hosting::model::Scope;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::{Control, assert_refused, pepper};

#[tokio::test]
async fn a_key_describes_itself() {
    let control = Control::start().await;
    let north = control.customer("North Ltd").await;
    control.machine(&north, "game", "mc-1").await;
    control.machine(&north, "vps", "web-1").await;
    let end = control.site.clock.now() + SignedDuration::from_hours(24);
    let scopes = [Scope::GamePower, Scope::GameRead];
    let limited = control.key_with(&north, &scopes, |new| {
        new.machines = vec!["mc-1".to_owned()];
        new.networks = vec![
            "127.0.0.1".parse().unwrap(),
            "2001:db8::/32".parse().unwrap(),
        ];
        new.expires_at = Some(end);
    });
    let limited = limited.await;
    let answer = control.ask(limited.text.reveal()).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let key = &limited.key.key;
    assert_eq!(
        answer.json(),
        json!({
            "id": key.id,
            "name": "CI",
            "customer": { "id": north.id, "name": "North Ltd" },
            "scopes": ["game:read", "game:power"],
            "machines": [{ "type": "game", "id": "mc-1" }],
            "networks": ["127.0.0.1/32", "2001:db8::/32"],
            "createdAt": format!("{:.3}", key.created_at),
            "expiresAt": format!("{end:.3}"),
            "lastUsedAt": null,
        })
    );
    let unlimited = control.key(&north, &[Scope::All]).await;
    let body = control.ask(unlimited.text.reveal()).await.json();
    for name in ["machines", "networks", "expiresAt"] {
        assert_eq!(body[name], Value::Null, "{name}");
    }
    assert_eq!(body["scopes"], json!(["*"]));
}

#[tokio::test]
async fn a_key_comes_in_one_of_two_headers_or_in_both() {
    let control = Control::start().await;
    let north = control.customer("North").await;
    let key = control.key(&north, &[Scope::All]).await;
    let other = control.key(&north, &[Scope::All]).await;
    let key = key.text.reveal().as_str();
    let bearer = format!("Bearer {key}");
    let lower = format!("bearer {key}");
    let other_bearer = format!("Bearer {}", other.text.reveal());
    for (headers, status) in [
        (&[("authorization", bearer.as_str())][..], 200),
        (&[("authorization", &lower)], 200),
        (&[("x-api-key", key)], 200),
        (&[("X-API-Key", key), ("Authorization", &bearer)], 200),
        (&[("x-api-key", key), ("authorization", "Basic YTpi")], 200),
        (&[("authorization", "Basic YTpi")], 401),
        (&[("x-api-key", key), ("authorization", &other_bearer)], 400),
        (&[("x-api-key", key), ("x-api-key", key)], 400),
        (&[("authorization", "Bearer")], 400),
    ] {
        let answer = control.ask_with(headers).await;
        assert_eq!(answer.status, status, "{headers:?}: {}", answer.text());
        match status {
            400 => assert_refused(&answer, 400, "invalid_request"),
            401 => assert_refused(&answer, 401, "unauthenticated"),
            _ => {}
        }
    }
}

#[tokio::test]
async fn head_works_like_get_and_other_methods_do_not() {
    let control = Control::start().await;
    let north = control.customer("North").await;
    let key = control.key(&north, &[Scope::All]).await;
    let header = [("x-api-key", key.text.reveal().as_str())];
    let head = control.site.send("HEAD", "/v1/hosting/key", &header).await;
    assert_eq!((head.status, head.body.len()), (200, 0));
    // Paths and methods are looked at before the key.
    for header in [&header[..], &[]] {
        for (method, path, status, code) in [
            ("POST", "/v1/hosting/key", 405, "method_not_allowed"),
            ("DELETE", "/v1/hosting/key", 405, "method_not_allowed"),
            ("GET", "/v1/hosting/keys", 404, "not_found"),
        ] {
            let answer = control.site.send(method, path, header).await;
            assert_refused(&answer, status, code);
            if status == 405 {
                assert_eq!(answer.header("allow"), Some("GET, HEAD"));
                assert_eq!(answer.json()["detail"], "method not allowed");
            }
        }
    }
}

#[tokio::test]
async fn the_last_use_is_stored_beside_requests_and_once_a_minute() {
    let control = Control::start().await;
    let north = control.customer("North").await;
    let key = control.key(&north, &[Scope::All]).await;
    let key = key.text.reveal().as_str();
    let site = &control.site;
    let last_used = async || {
        let body = control.ask_from(key, "192.0.2.7").await.json();
        body["lastUsedAt"].as_str().map(str::to_owned)
    };
    let first = format!("{:.0}", site.clock.now());
    assert_eq!(last_used().await, None);
    site.pass(5).await;
    let stored = last_used().await.unwrap();
    assert!(
        stored.starts_with(&first[..first.len() - 1]),
        "{stored} {first}"
    );
    for _ in 0..10 {
        site.pass(5).await;
        assert_eq!(last_used().await.as_ref(), Some(&stored));
    }
    // A minute after the stored use, the next one is stored.
    site.pass(5).await;
    last_used().await;
    site.pass(5).await;
    let next = last_used().await.unwrap();
    assert!(next > stored, "{next} {stored}");
    let sql = control.sql().await;
    let row = sql
        .query_one("select last_used_from from api_keys", &[])
        .await
        .unwrap();
    assert_eq!(row.get::<_, String>(0), "192.0.2.7");
}

#[tokio::test]
async fn peppers_can_be_replaced_while_keys_are_in_use() {
    let first = Control::start().await;
    let north = first.customer("North").await;
    let old = first.key(&north, &[Scope::All]).await;
    let restarted = async |control: Control, peppers: Vec<Pepper>| {
        let Control { site, database } = control;
        drop(site);
        Control::start_on(database, |config| config.keys.peppers = peppers).await
    };
    let both = restarted(first, vec![pepper(1), pepper(2)]).await;
    let new = both.key(&north, &[Scope::All]).await;
    for key in [&old, &new] {
        assert_eq!(both.ask(key.text.reveal()).await.status, 200);
    }
    let sql = both.sql().await;
    let rows = sql
        .query("select pepper from api_keys order by pepper", &[])
        .await;
    let peppers: Vec<i32> = rows.unwrap().iter().map(|row| row.get(0)).collect();
    assert_eq!(peppers, [1, 2]);
    let last = restarted(both, vec![pepper(2)]).await;
    assert_eq!(last.ask(new.text.reveal()).await.status, 200);
    assert_refused(&last.ask(old.text.reveal()).await, 401, "unauthenticated");
}

#[tokio::test]
async fn no_secret_is_in_the_database() {
    let control = Control::start().await;
    let north = control.customer("North").await;
    let key = control.key(&north, &[Scope::All]).await;
    assert_eq!(control.ask(key.text.reveal()).await.status, 200);
    control.site.pass(1).await;
    let sql = control.sql().await;
    let tables = sql
        .query(
            "select tablename::text from pg_tables where schemaname = 'hosting'",
            &[],
        )
        .await
        .unwrap();
    let (id, rest) = key.text.reveal().split_at("ink_live_".len() + 12);
    let id = &id["ink_live_".len()..];
    let secret = &rest[..32];
    let row = sql
        .query_one("select encode($1::text::bytea, 'hex')", &[&secret])
        .await;
    let hex: String = row.unwrap().get(0);
    let mut found = 0;
    for table in tables {
        let table: String = table.get(0);
        let rows = sql
            .query(&format!("select t::text from {table} t"), &[])
            .await;
        for row in rows.unwrap() {
            let text: String = row.get(0);
            found += usize::from(text.contains(id));
            assert!(!text.contains(secret), "{table}: {text}");
            assert!(!text.contains(&hex), "{table}: {text}");
        }
    }
    // The key, and its creation in the audit log.
    assert_eq!(found, 2);
}
