//! `GET /admin/users` with a cursor.

use serde_json::json;

use super::users_list::{listed, names, people};
use crate::support::TestApp;

#[tokio::test]
async fn a_cursor_skips_and_repeats_nobody_while_others_sign_up() {
    let app = TestApp::start().await;
    people(&app, &["ada", "bea", "cleo", "dora", "eve"]).await;
    let operator = app.operator();

    let first = operator.get("/admin/users?limit=2").await;
    assert_eq!(names(&first), ["eve", "dora"]);
    assert_eq!(first.body["aud"], "authenticated");
    assert_eq!(first.body["pagination"]["has_more"], true);
    assert_eq!(first.header("x-total-count"), None);
    let cursor = first.text_at("/pagination/next_cursor");
    let link = format!("</admin/users?cursor={cursor}&limit=2>; rel=\"next\"");
    assert_eq!(first.header("link"), Some(link.as_str()));

    people(&app, &["fay", "gil"]).await;
    let second = operator
        .get(&format!("/admin/users?limit=2&cursor={cursor}"))
        .await;
    assert_eq!(names(&second), ["cleo", "bea"]);
    let cursor = second.text_at("/pagination/next_cursor");
    let third = operator
        .get(&format!("/admin/users?cursor={cursor}&limit=2"))
        .await;
    assert_eq!(names(&third), ["ada"]);
    assert_eq!(third.body["pagination"], json!({ "has_more": false }));
    assert_eq!(third.header("link"), None);
}

#[tokio::test]
async fn a_cursor_passes_users_of_the_same_moment_and_of_no_known_moment() {
    let app = TestApp::start().await;
    app.sql()
        .await
        .batch_execute(
            "insert into users (id, aud, email, created_at)
            select gen_random_uuid(), 'authenticated', n || '@example.com',
                   case when n <= 5 then null else timestamptz '2024-01-01Z' end
            from generate_series(1, 13) n",
        )
        .await
        .unwrap();
    let operator = app.operator();
    let (mut seen, mut query) = (Vec::new(), "limit=3".to_owned());
    loop {
        let page = operator.get(&format!("/admin/users?{query}")).await;
        seen.extend(names(&page));
        match page.body["pagination"]["next_cursor"].as_str() {
            Some(cursor) => query = format!("limit=3&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(seen, listed(&operator, "").await);
    assert!(
        seen[8..]
            .iter()
            .all(|name| name.parse::<u8>().unwrap() <= 5),
        "{seen:?}"
    );
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 13);
}

#[tokio::test]
async fn cursors_that_this_server_did_not_write_are_refused() {
    let app = TestApp::start().await;
    for cursor in [
        "garbage",
        "MTIz",
        "MS4x",
        "%00",
        "====",
        "9223372036854775807",
    ] {
        let answer = app
            .operator()
            .get(&format!("/admin/users?cursor={cursor}"))
            .await;
        answer.refused(400, "validation_failed");
    }
    let target = "/admin/users?limit=5&sort=created_at%20asc";
    app.operator()
        .get(target)
        .await
        .refused(400, "validation_failed");
}
