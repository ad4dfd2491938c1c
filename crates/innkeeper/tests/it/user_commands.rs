//! `innkeeper auth user`, `session` and `audit`, as processes against a running server.

use innkeeper_service::testing::TestDatabase;
use serde_json::{Value, json};

use crate::support::{Up, answer, complaint, folder, run, text};

const PASSWORD: &str = "correct-horse-9";

/// Runs a command with `--json` and returns what it prints.
async fn document(up: &Up, arguments: &[&str]) -> Value {
    let printed = answer(up.auth(arguments).arg("--json")).await;
    serde_json::from_str(&printed).unwrap()
}

/// Checks the lists of three users, of whom Ada is the oldest.
async fn check_lists(up: &Up, ada: &Value) {
    // The newest come first, in one line each, whatever their names are.
    let output = run(&mut up.auth(&["user", "list", "--limit", "2"])).await;
    let lines: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    let [head, bob, phone] = &lines[..] else {
        panic!("{lines:?}");
    };
    assert!(
        head.starts_with("ID ") && head.ends_with("EMAIL OR PHONE"),
        "{head}"
    );
    assert!(
        bob.contains(" unconfirmed  ") && bob.ends_with("  bob@example.com"),
        "{bob}"
    );
    assert!(phone.ends_with("  +49301234567"), "{phone}");
    assert_eq!(
        text(&output.stderr),
        "2 of 3 are shown; see more with --page 2\n"
    );
    let second = document(up, &["user", "list", "--limit", "2", "--page", "2"]).await;
    assert_eq!(
        (&second["total"], &second["users"][0]["id"]),
        (&json!(3), &ada["id"])
    );
    assert_eq!(second["users"].as_array().unwrap().len(), 1);
    let found = document(up, &["user", "list", "--filter", "ADA@"]).await;
    assert_eq!(
        (&found["total"], &found["users"][0]["id"]),
        (&json!(1), &ada["id"])
    );
    let oldest = document(up, &["user", "list", "--oldest-first", "--limit", "1"]).await;
    assert_eq!(oldest["users"][0]["id"], ada["id"]);
}

/// Checks what is said about a user who was deleted, and about arguments that are wrong.
async fn check_refusals(up: &Up, id: &str) {
    for (arguments, reason) in [
        (&["user", "show", id][..], "User not found"),
        (&["user", "update", id, "--role", "x"], "User not found"),
        (&["user", "delete", "ada@example.org"], "User not found"),
        (
            &["user", "show", "nobody"],
            "not an id, an email address or a phone number",
        ),
        (
            &["user", "create", "bob@example.com"],
            "already been registered",
        ),
        (
            &["user", "create", "eve@example.com", "x"],
            "at least 6 characters",
        ),
        (&["session", "list", id], "User not found"),
    ] {
        let said = complaint(&mut up.auth(arguments)).await;
        assert!(said.contains(reason), "{arguments:?}: {said}");
    }
}

#[tokio::test]
async fn users_are_created_listed_shown_changed_and_deleted() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = Up::on(&database, &folder.path().join("inn")).await;
    let metadata = r#"{"name":"Ada\nLovelace"}"#;
    let create = ["user", "create", "ada@example.com", PASSWORD, "--confirm"];
    let ada = document(&up, &[&create[..], &["--user-metadata", metadata]].concat()).await;
    let id = ada["id"].as_str().unwrap();
    assert_eq!(up.sign_in("ada@example.com", PASSWORD).await, 200);
    document(&up, &["user", "create", "--phone", "+49 301234567"]).await;
    document(&up, &["user", "create", "bob@example.com"]).await;

    check_lists(&up, &ada).await;
    let shown = answer(&mut up.auth(&["user", "show", "ADA@example.com"])).await;
    for line in [
        &format!("id               {id}\n"),
        "state            confirmed\n",
        "identities       email\n",
        "user metadata    {\"name\":\"Ada\\nLovelace\"}\n",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert_eq!(
        document(&up, &["user", "show", "+49301234567"]).await["phone"],
        "49301234567"
    );

    let change = [
        "--role",
        "editor",
        "--email",
        "ada@example.org",
        "--user-metadata",
        "{\"name\":null}",
    ];
    let changed = document(&up, &[&["user", "update", id][..], &change].concat()).await;
    assert_eq!(changed["email"], "ada@example.org");
    assert_eq!(changed["role"], "editor");
    assert_eq!(changed["user_metadata"]["name"], Value::Null);

    let deleted = answer(&mut up.auth(&["user", "delete", "ada@example.org"])).await;
    assert_eq!(deleted, format!("Deleted user {id}.\n"));
    check_refusals(&up, id).await;
    up.process.stop().await;
}

#[tokio::test]
async fn a_ban_a_new_password_and_the_end_of_sessions_take_effect_at_once() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = Up::on(&database, &folder.path().join("inn")).await;
    let ada = "ada@example.com";
    document(&up, &["user", "create", ada, PASSWORD, "--confirm"]).await;
    let sign_in = json!({ "email": ada, "password": PASSWORD });
    let mut tokens = Vec::new();
    for _ in 0..2 {
        let (status, session) = up.post("/token?grant_type=password", sign_in.clone()).await;
        assert_eq!(status, 200, "{session}");
        tokens.push(session["access_token"].as_str().unwrap().to_owned());
    }
    let user = async |token: &str| {
        let request = reqwest::Client::new().get(format!("{}/user", up.url));
        let answer = request.bearer_auth(token).send().await.unwrap();
        answer.status().as_u16()
    };

    let sessions = document(&up, &["session", "list", ada]).await;
    let sessions = sessions["sessions"].as_array().unwrap().clone();
    assert_eq!(sessions.len(), 2);
    let shown = answer(&mut up.auth(&["session", "list", ada])).await;
    assert_eq!(shown.lines().count(), 3, "{shown}");
    assert!(shown.contains("127.0.0.1"), "{shown}");
    let last = sessions[0]["id"].as_str().unwrap();
    let said = answer(&mut up.auth(&["session", "end", ada, last])).await;
    assert_eq!(said, format!("Session {last} is ended.\n"));
    let said = complaint(&mut up.auth(&["session", "end", ada, last])).await;
    assert!(said.contains("Session not found"), "{said}");
    assert_eq!((user(&tokens[0]).await, user(&tokens[1]).await), (200, 403));

    let said = answer(&mut up.auth(&["user", "ban", ada, "--for", "2d"])).await;
    assert!(
        said.starts_with("ada@example.com cannot sign in until 20"),
        "{said}"
    );
    assert_eq!(up.sign_in(ada, PASSWORD).await, 400);
    assert_eq!(user(&tokens[0]).await, 403);
    let listed = answer(&mut up.auth(&["user", "list"])).await;
    assert!(listed.contains(" banned "), "{listed}");
    let said = answer(&mut up.auth(&["user", "ban", ada, "--lift"])).await;
    assert_eq!(said, "ada@example.com can sign in again.\n");
    assert_eq!(user(&tokens[0]).await, 200);
    let forever = document(&up, &["user", "ban", ada]).await;
    assert!(
        forever["banned_until"].as_str().unwrap() > "2100",
        "{forever}"
    );
    answer(&mut up.auth(&["user", "ban", ada, "--lift"])).await;

    let said = answer(&mut up.auth(&["user", "set-password", ada, "battery-staple-9"])).await;
    assert_eq!(
        said,
        "The password of ada@example.com is set, and all sessions are ended.\n"
    );
    assert_eq!(user(&tokens[0]).await, 403);
    assert_eq!(up.sign_in(ada, PASSWORD).await, 400);
    assert_eq!(up.sign_in(ada, "battery-staple-9").await, 200);
    let said = answer(&mut up.auth(&["session", "end", ada, "--all"])).await;
    assert_eq!(said, "All sessions of ada@example.com are ended.\n");
    let none = document(&up, &["session", "list", ada]).await;
    assert_eq!(none["sessions"], json!([]));
    up.process.stop().await;
}

#[tokio::test]
async fn the_audit_log_tells_who_did_what() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = Up::on(&database, &folder.path().join("inn")).await;
    let ada = "ada@example.com";
    document(&up, &["user", "create", ada, PASSWORD, "--confirm"]).await;
    assert_eq!(up.sign_in(ada, PASSWORD).await, 200);
    document(&up, &["user", "update", ada, "--role", "editor"]).await;

    let shown = answer(&mut up.auth(&["audit"])).await;
    let lines: Vec<Vec<&str>> = shown
        .lines()
        .map(|line| line.split_whitespace().skip(1).collect())
        .collect();
    assert_eq!(
        lines,
        [
            vec!["ACTION", "BY", "ADDRESS", "ABOUT"],
            vec!["user_modified", "operator", "-", ada],
            vec!["login", ada, "127.0.0.1", "-"],
            vec!["user_signedup", "operator", "-", ada],
        ]
    );
    let logins = document(&up, &["audit", "--action", "login", "--author", "ada"]).await;
    assert_eq!(logins["total"], 1);
    assert_eq!(logins["entries"][0]["payload"]["action"], "login");
    let page = run(&mut up.auth(&["audit", "--limit", "1"])).await;
    assert!(text(&page.stderr).contains("1 of 3 are shown"), "{page:?}");
    let kind = document(&up, &["audit", "--type", "team", "--page", "2"]).await;
    assert_eq!(kind, json!({ "entries": [], "total": 1 }));
    up.process.stop().await;
}
