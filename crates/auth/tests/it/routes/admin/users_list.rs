//! `GET /admin/users`: pages, filters and cursors.

use innkeeper_rest::Method;
use serde_json::{Value, json};

use crate::support::operator::{Operator, path_of};
use crate::support::{Answer, TestApp, plan};

/// Creates users one second apart.
pub(super) async fn people(app: &TestApp, names: &[&str]) {
    for name in names {
        let body = json!({ "email": format!("{name}@example.com") });
        app.operator().create(body).await;
        app.advance(1);
    }
}

/// Returns the names in a list, in its order.
pub(super) fn names(answer: &Answer) -> Vec<String> {
    let users = answer.body["users"].as_array();
    let users = users.unwrap_or_else(|| panic!("no list: {}", answer.text));
    let name = |user: &Value| {
        user["email"]
            .as_str()
            .unwrap()
            .split('@')
            .next()
            .unwrap()
            .to_owned()
    };
    users.iter().map(name).collect()
}

pub(super) async fn listed(operator: &Operator<'_>, query: &str) -> Vec<String> {
    names(&operator.get(&format!("/admin/users?{query}")).await)
}

#[tokio::test]
async fn a_list_shows_the_newest_first_and_says_where_the_others_are() {
    let app = TestApp::start().await;
    people(&app, &["ada", "bea", "cleo", "dora", "eve"]).await;
    let operator = app.operator();

    let first = operator.get("/admin/users?page=1&per_page=2").await;
    assert_eq!(names(&first), ["eve", "dora"]);
    assert_eq!(first.body["aud"], "authenticated");
    assert_eq!(first.header("x-total-count"), Some("5"));
    assert_eq!(
        first.header("link"),
        Some(
            "</admin/users?page=2&per_page=2>; rel=\"next\", \
             </admin/users?page=3&per_page=2>; rel=\"last\""
        )
    );
    let last = operator.get("/admin/users?per_page=2&page=3").await;
    assert_eq!(names(&last), ["ada"]);
    assert_eq!(
        last.header("link"),
        Some("</admin/users?page=3&per_page=2>; rel=\"last\"")
    );
    let beyond = operator
        .get("/admin/users?page=9223372036854775807&per_page=2")
        .await;
    assert_eq!(names(&beyond), [""; 0]);
    assert_eq!(beyond.header("x-total-count"), Some("5"));
}

#[tokio::test]
async fn without_a_page_the_first_fifty_are_listed() {
    let app = TestApp::start().await;
    app.sql()
        .await
        .batch_execute(
            "insert into users (id, aud, email, created_at)
            select gen_random_uuid(), 'authenticated', n || '@example.com', now() - n * interval '1 second'
            from generate_series(1, 51) n",
        )
        .await
        .unwrap();
    for query in [
        "",
        "?page=&per_page=",
        "?page=0",
        "?page=1",
        "?per_page=50&limit=3",
    ] {
        let answer = app.operator().get(&format!("/admin/users{query}")).await;
        let names = names(&answer);
        assert_eq!(names.len(), 50, "{query}");
        assert_eq!(names.first().unwrap(), "1", "{query}");
        assert_eq!(answer.header("x-total-count"), Some("51"));
    }
    assert_eq!(listed(&app.operator(), "page=2").await, ["51"]);
    assert_eq!(listed(&app.operator(), "per_page=100000").await.len(), 51);
    assert_eq!(listed(&app.operator(), "per_page=0").await.len(), 1);
}

#[tokio::test]
async fn an_empty_list_has_the_page_zero() {
    let app = TestApp::start().await;
    let answer = app.operator().get("/admin/users").await;
    assert_eq!(answer.body, json!({ "users": [], "aud": "authenticated" }));
    assert_eq!(answer.header("x-total-count"), Some("0"));
    assert_eq!(
        answer.header("link"),
        Some("</admin/users?page=0&per_page=50>; rel=\"last\"")
    );
}

#[tokio::test]
async fn pages_that_are_no_numbers_are_refused() {
    let app = TestApp::start().await;
    for value in [
        "-1",
        "x",
        "1.5",
        "99999999999999999999",
        "%00",
        "1%20",
        "0x10",
    ] {
        for name in ["page", "per_page", "limit"] {
            let target = format!("/admin/users?{name}={value}");
            let refusal = app.operator().get(&target).await;
            let refusal = refusal.refused(400, "validation_failed");
            assert!(refusal["msg"].as_str().unwrap().contains(name), "{refusal}");
        }
    }
}

#[tokio::test]
async fn lists_are_sorted_by_creation_only() {
    let app = TestApp::start().await;
    people(&app, &["ada", "bea", "cleo"]).await;
    let operator = app.operator();
    for sort in ["created_at%20asc", "created_at+ASC"] {
        assert_eq!(
            listed(&operator, &format!("sort={sort}")).await,
            ["ada", "bea", "cleo"]
        );
    }
    for sort in ["", "created_at", "created_at%20desc"] {
        assert_eq!(
            listed(&operator, &format!("sort={sort}")).await,
            ["cleo", "bea", "ada"]
        );
    }
    for sort in [
        "email",
        "created_at%20sideways",
        "created_at%20asc,id",
        "1;drop",
        "updated_at",
    ] {
        let answer = operator.get(&format!("/admin/users?sort={sort}")).await;
        answer.refused(400, "validation_failed");
    }
}

#[tokio::test]
async fn a_filter_finds_a_piece_of_the_address_or_the_full_name() {
    let app = TestApp::start().await;
    let operator = app.operator();
    for (email, name) in [
        ("ada@example.com", json!({ "full_name": "Augusta King" })),
        ("under_score@example.com", json!({ "name": "augusta" })),
        ("per%cent@example.com", json!({ "full_name": ["augusta"] })),
        ("bea@example.org", json!({ "full_name": null })),
    ] {
        operator
            .create(json!({ "email": email, "user_metadata": name }))
            .await;
        app.advance(1);
    }
    for (filter, expected) in [
        ("example.org", vec!["bea"]),
        ("ada@", vec!["ada"]),
        ("ADA@EX", vec!["ada"]),
        ("augusta%20k", vec!["ada"]),
        ("_", vec!["under_score"]),
        ("%25", vec!["per%cent"]),
        ("%5C", vec![]),
        ("'%20or%20true--", vec![]),
        ("", vec!["bea", "per%cent", "under_score", "ada"]),
    ] {
        let target = format!("/admin/users?filter={filter}");
        let answer = operator.get(&target).await;
        let total = expected.len().to_string();
        assert_eq!(
            answer.header("x-total-count"),
            Some(total.as_str()),
            "{filter}"
        );
        assert_eq!(names(&answer), expected, "{filter}");
    }
    let answer = operator
        .get("/admin/users?filter=a%26b%3Dc&per_page=1")
        .await;
    assert_eq!(
        answer.header("link"),
        Some("</admin/users?page=0&per_page=1&filter=a%26b%3Dc>; rel=\"last\"")
    );
    operator
        .get("/admin/users?filter=%00")
        .await
        .refused(400, "validation_failed");
}

#[tokio::test]
async fn email_and_phone_find_exactly_one_user() {
    let app = TestApp::start().await;
    let operator = app.operator();
    people(&app, &["ada", "adam"]).await;
    operator
        .create(json!({ "email": "phil@example.com", "phone": "+491701234567" }))
        .await;
    app.sql()
        .await
        .execute(
            "insert into users (id, aud, email) values (gen_random_uuid(), 'authenticated', 'Mixed@Example.com')",
            &[],
        )
        .await
        .unwrap();
    for (query, expected) in [
        ("email=ada@example.com", vec!["ada"]),
        ("email=Ada%40EXAMPLE.com", vec!["ada"]),
        ("email=ada@example", vec![]),
        ("email=mixed@example.com", vec!["Mixed"]),
        ("phone=491701234567", vec!["phil"]),
        ("phone=%2B49%20170%201234567", vec!["phil"]),
        ("phone=+491701234567", vec!["phil"]),
        ("phone=49170", vec![]),
        ("phone=491701234567&email=phil@example.com", vec!["phil"]),
        ("phone=491701234567&email=ada@example.com", vec![]),
        ("email=ada@example.com&filter=ada", vec!["ada"]),
        ("email=ada@example.com&filter=bea", vec![]),
        ("email=ada@example.com&limit=1", vec!["ada"]),
    ] {
        assert_eq!(listed(&operator, query).await, expected, "{query}");
    }
    let second = operator
        .get("/admin/users?email=ada@example.com&page=2")
        .await;
    assert_eq!(names(&second), [""; 0]);
    assert_eq!(second.header("x-total-count"), Some("1"));
}

#[tokio::test]
async fn lists_leave_out_identities_factors_and_everything_secret() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let user = operator
        .create(json!({ "email": "ada@example.com", "password": "correct horse" }))
        .await;
    app.sql()
        .await
        .execute(
            "insert into mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret)
            select gen_random_uuid(), id, 'phone', 'totp', 'verified', now(), now(), 'JBSWY3DPEHPK3PXP' from users",
            &[],
        )
        .await
        .unwrap();
    let list = operator.get("/admin/users").await;
    let listed = &list.body["users"][0];
    assert_eq!(listed["identities"], Value::Null);
    assert!(listed.get("factors").is_none());
    assert!(listed.get("email_confirmed_at").is_none());
    for text in [
        "aud",
        "role",
        "email",
        "phone",
        "created_at",
        "updated_at",
        "id",
    ] {
        assert!(listed[text].is_string(), "{text} in {listed}");
    }
    assert_eq!(listed["is_anonymous"], false);

    let shown = operator.get(&path_of(&user)).await;
    assert_eq!(shown.body["identities"][0]["provider"], "email");
    assert_eq!(shown.body["factors"][0]["factor_type"], "totp");
    for text in [&list.text, &shown.text] {
        for secret in [
            "JBSWY3DPEHPK3PXP",
            "secret",
            "$argon2",
            "encrypted",
            "token",
            "instance",
        ] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }
}

#[tokio::test]
async fn a_list_holds_one_audience() {
    let app = TestApp::with(|config| config.jwt.audiences = vec!["elsewhere".to_owned()]).await;
    let operator = app.operator_with(app.token_of_secret(&json!({
        "role": "supabase_admin", "aud": "admin", "sub": "admin",
    })));
    people(&app, &["ada"]).await;
    operator
        .create(json!({ "email": "other@example.com", "aud": "elsewhere" }))
        .await;
    app.sql()
        .await
        .execute(
            "insert into users (id, email, created_at) values (gen_random_uuid(), 'nobody@example.com', '2020-01-01')",
            &[],
        )
        .await
        .unwrap();
    // An account that an application inserted without an audience is listed in every audience.
    assert_eq!(listed(&operator, "").await, ["ada", "nobody"]);
    assert_eq!(listed(&operator, "email=other@example.com").await, [""; 0]);
    let header = ("X-JWT-AUD", "elsewhere");
    let answer = operator
        .send(Method::GET, "/admin/users", header, None)
        .await;
    assert_eq!(names(&answer), ["other", "nobody"]);
    assert_eq!(answer.body["aud"], "elsewhere");
}

#[tokio::test]
async fn pages_of_many_users_are_read_from_an_index() {
    let app = TestApp::start().await;
    let sql = app.sql().await;
    let many = "insert into users (id, aud, email, created_at)
        select gen_random_uuid(), 'authenticated', n || '@example.com', now() - make_interval(mins => n)
        from generate_series(1, 10000) n;
        analyze users";
    sql.batch_execute(many).await.unwrap();
    let values = [
        ("aud", "'authenticated'"),
        ("pattern", "''"),
        ("cursor_at", "now()"),
        ("cursor_id", "'00000000-0000-0000-0000-000000000000'"),
        ("limit", "50"),
        ("offset", "0"),
    ];
    for name in ["list_newest", "list_oldest", "list_after"] {
        let plan = plan(&sql, name, &values).await;
        assert!(plan.contains("innkeeper_users_age_idx"), "{name}: {plan}");
        assert!(!plan.contains("Sort"), "{name}: {plan}");
    }
    let page = app.operator().get("/admin/users").await;
    assert_eq!(page.header("x-total-count"), Some("10000"));
    assert_eq!(names(&page)[..3], ["1", "2", "3"]);
}
