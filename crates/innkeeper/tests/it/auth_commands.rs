//! `innkeeper auth …`, as processes.

use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use innkeeper_service::testing::{HeldPort, TestDatabase, eventually};
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::support::{Process, Up, answer, complaint, folder, innkeeper, text};

const SECRET: &str = "a-secret-of-more-than-thirty-two-bytes";

/// Writes a settings file for a server on a free port, and returns its path.
fn settings(folder: &Path, database_url: &str, more: &str) -> String {
    let path = folder.join("auth.env");
    let text = format!(
        "AUTH_SITE_URL=http://localhost:3000\n\
         AUTH_API_EXTERNAL_URL=http://localhost:8081\n\
         AUTH_PORT=0\n\
         AUTH_DATABASE_URL={database_url}\n\
         AUTH_JWT_SECRET={SECRET}\n\
         AUTH_SMTP_HOST=localhost\n\
         AUTH_SMTP_PORT=2525\n\
         AUTH_SMTP_ADMIN_EMAIL=inn@example.com\n\
         {more}"
    );
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Waits until the server at this URL says that it is ready.
async fn until_ready(url: &str) {
    eventually("the server is ready", async || {
        let answer = reqwest::get(format!("{url}/health")).await;
        answer.unwrap().status() == 200
    })
    .await;
}

/// Returns the port in a line such as `… listening address=[::]:40123`.
fn port(line: &str) -> u16 {
    let (_, port) = line.trim().rsplit_once(':').unwrap();
    port.parse().unwrap()
}

#[tokio::test]
async fn serve_tells_its_profile_and_address_and_stops_when_asked() {
    let database = TestDatabase::empty().await.unwrap();
    let folder = folder();
    let file = settings(
        folder.path(),
        database.url(),
        "AUTH_SITE_ULR=x\nGOTRUE_JWT_EXP=60\nAUTH_API_ENDPOINT=x\n",
    );
    let mut server = Process::start(&mut innkeeper(&["auth", "serve", "-c", &file]));
    let mut log = vec![server.error_line().await];
    assert!(log[0].contains("listening address="), "{log:?}");
    let port = port(&log[0]);
    while !log.last().unwrap().contains("brought up to date") {
        log.push(server.error_line().await);
    }
    let log = log.concat();
    for part in [
        "profile=\"std\" reason=\"the default, because ",
        "did you mean AUTH_SITE_URL?",
        "GOTRUE_JWT_EXP",
        "AUTH_API_ENDPOINT is deprecated since 0.1.0: there is no multi-instance mode",
    ] {
        assert!(log.contains(part), "{part}: {log}");
    }
    // Without a host, the server listens on IPv4 and IPv6.
    for host in ["127.0.0.1", "localhost"] {
        until_ready(&format!("http://{host}:{port}")).await;
    }

    let taken = port.to_string();
    let mut second = innkeeper(&["auth", "serve", "-c", &file]);
    let second = second.env("AUTH_PORT", "1");
    fs::write(
        &file,
        fs::read_to_string(&file)
            .unwrap()
            .replace("PORT=0", &format!("PORT={taken}")),
    )
    .unwrap();
    assert_eq!(
        complaint(second).await,
        format!(
            "innkeeper: port {taken} is in use by another program; to change the port, set AUTH_PORT\n"
        )
    );

    server.signal(Signal::TERM);
    let (status, rest) = server.ended().await;
    assert_eq!(status.code(), Some(0), "{rest}");
    assert!(rest.contains("stopped"), "{rest}");
    assert!(!(log + &rest).contains(SECRET));
}

#[tokio::test]
async fn serve_listens_on_its_host_and_logs_to_its_file_as_much_as_it_should() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let held = HeldPort::take().unwrap();
    let port = held.number().to_string();
    let path = folder.path().join("server.log");
    let file = settings(folder.path(), "", "AUTH_API_HOST=127.0.0.1\n");
    let text = fs::read_to_string(&file).unwrap();
    let text = text
        .replace("AUTH_PORT=0\n", "")
        .replace("AUTH_DATABASE_URL=\n", "");
    fs::write(&file, format!("{text}AUTH_LOG_FILE={}\n", path.display())).unwrap();
    // These three settings need no prefix.
    let mut command = innkeeper(&["auth", "serve", "-c", &file]);
    command
        .env("PORT", &port)
        .env("DATABASE_URL", database.url())
        .env("LOG_LEVEL", "info");
    let log = || fs::read_to_string(&path).unwrap_or_default();

    let server = Process::start(&mut command);
    eventually("the schema is there", async || {
        log().contains("brought up to date")
    })
    .await;
    assert!(
        log().contains(&format!("listening address=127.0.0.1:{port}")),
        "{}",
        log()
    );
    until_ready(&format!("http://127.0.0.1:{port}")).await;
    server.signal(Signal::TERM);
    let (status, errors) = server.ended().await;
    assert_eq!((status.code(), errors.as_str()), (Some(0), ""));

    fs::remove_file(&path).unwrap();
    let server = Process::start(command.env("LOG_LEVEL", "error"));
    eventually("it listens", async || {
        TcpStream::connect(format!("127.0.0.1:{port}")).is_ok()
    })
    .await;
    until_ready(&format!("http://127.0.0.1:{port}")).await;
    server.stop().await;
    assert_eq!(log(), "");
}

#[tokio::test]
async fn all_faults_of_the_settings_are_told_together_and_no_secret_is() {
    let said = complaint(
        innkeeper(&["auth", "serve"])
            // What ends the process is told at every level.
            .env("LOG_LEVEL", "panic")
            .env("AUTH_JWT_SECRET", "short-but-secret")
            .env("AUTH_SITE_URL", "nowhere")
            .env("AUTH_PORT", "eighty")
            .env("AUTH_DB_DRIVER", "mysql"),
    )
    .await;
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("innkeeper: ") && lines[0].ends_with("settings are wrong:"));
    for part in [
        "  AUTH_JWT_SECRET: is shorter than 32 bytes and can be guessed; set a longer one, such as `openssl rand \
         -base64 32` prints, or AUTH_PROFILE=gotrue, which starts with this one",
        "  AUTH_SITE_URL: expected an absolute URL, found `nowhere`",
        "  AUTH_PORT: expected a port number, found `eighty`",
        "  AUTH_DB_DRIVER: only `postgres` is supported, found `mysql`",
        "  AUTH_API_EXTERNAL_URL: is required",
        "  AUTH_DATABASE_URL: is required",
        "  AUTH_SMTP_HOST: is required with email",
    ] {
        assert!(lines.contains(&part), "{part}: {said}");
    }
    assert!(!said.contains("short-but-secret"), "{said}");
}

#[tokio::test]
async fn the_env_file_of_the_folder_loses_to_the_environment_and_both_to_a_named_file() {
    let folder = folder();
    let file = settings(folder.path(), "postgres://localhost/x", "AUTH_JWT_EXP=3\n");
    fs::copy(&file, folder.path().join(".env")).unwrap();
    let value = async |command: &mut Command| {
        let shown = answer(command.current_dir(folder.path()).arg("--json")).await;
        let shown: Value = serde_json::from_str(&shown).unwrap();
        let settings = shown["settings"].as_array().unwrap().clone();
        let exp = settings
            .into_iter()
            .find(|setting| setting["name"] == "AUTH_JWT_EXP");
        exp.unwrap()["value"].clone()
    };
    assert_eq!(value(&mut innkeeper(&["auth", "settings"])).await, "3");
    let mut command = innkeeper(&["auth", "settings"]);
    assert_eq!(value(command.env("AUTH_JWT_EXP", "2")).await, "2");
    fs::write(folder.path().join("more.env"), "AUTH_JWT_EXP=1\n").unwrap();
    let mut command = innkeeper(&["auth", "settings", "-c", "more.env"]);
    assert_eq!(value(command.env("AUTH_JWT_EXP", "2")).await, "1");

    for arguments in [
        &["auth", "migrate"][..],
        &["auth", "serve"],
        &["hosting", "settings"],
    ] {
        let said = complaint(innkeeper(arguments).args(["-c", "/nowhere.env"])).await;
        assert_eq!(
            said,
            "innkeeper: cannot read the settings file /nowhere.env: No such file or directory (os error 2)\n"
        );
    }
}

#[tokio::test]
async fn settings_makes_every_check_of_a_start() {
    let folder = folder();
    let nowhere = folder.path().join("nowhere").display().to_string();
    for (wrong, reason) in [
        ("AUTH_URI_ALLOW_LIST=[", "URI_ALLOW_LIST"),
        ("AUTH_API_HOST=192.0.2.1", "cannot listen on 192.0.2.1"),
        (
            &format!("AUTH_LOG_FILE={nowhere}/log"),
            "cannot write the log file",
        ),
        (
            &format!("AUTH_TRACING_ENABLED=true\nOTEL_EXPORTER_OTLP_CERTIFICATE={nowhere}/ca.pem"),
            "nowhere/ca.pem",
        ),
        (
            "AUTH_METRICS_ENABLED=true\nAUTH_METRICS_EXPORTER=prometheus\n\
             OTEL_EXPORTER_PROMETHEUS_HOST=192.0.2.1",
            "cannot listen for metrics",
        ),
        ("AUTH_JWT_KEYS='[{\"kty\":\"oct\"}]'", "JWT_KEYS"),
        (
            &format!("AUTH_PASSWORD_BREACHED_FILE={nowhere}"),
            "leaked passwords",
        ),
    ] {
        let file = settings(
            folder.path(),
            "postgres://127.0.0.1:1/x",
            &format!("{wrong}\n"),
        );
        let said = complaint(&mut innkeeper(&["auth", "settings", "-c", &file])).await;
        assert!(said.contains(reason), "{wrong}: {said}");
        // The server says the same.
        let output = innkeeper(&["auth", "serve", "-c", &file]).output();
        let output = output.await.unwrap();
        assert_eq!(output.status.code(), Some(1), "{wrong}");
        let served = text(&output.stderr);
        assert!(served.contains(reason), "{wrong}: {served}");
    }
    let good = settings(folder.path(), "postgres://127.0.0.1:1/x", "");
    answer(&mut innkeeper(&["auth", "settings", "-c", &good])).await;
}

#[tokio::test]
async fn migrate_says_what_it_did() {
    let database = TestDatabase::empty().await.unwrap();
    let folder = folder();
    let file = settings(folder.path(), database.url(), "AUTH_DB_NAMESPACE=inn\n");
    let migrate = |more: &[&str]| {
        let mut command = innkeeper(&["auth", "migrate", "-c", &file]);
        command.args(more);
        command
    };
    let first = answer(&mut migrate(&["--json"])).await;
    let first: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(first["schema"], "inn");
    assert!(first["applied"].as_array().unwrap().len() > 50);
    assert_eq!(
        answer(&mut migrate(&[])).await,
        "Schema inn is up to date.\n"
    );
}

#[tokio::test]
async fn a_database_that_is_away_is_an_error_that_does_not_show_the_password() {
    let folder = folder();
    let file = settings(folder.path(), "postgres://ada:hunter2@127.0.0.1:1/x", "");
    for arguments in [
        &["migrate"][..],
        &["keys", "rotate"],
        &["admin", "delete-user", "ada@example.com"],
    ] {
        let said = complaint(innkeeper(&["auth", "-c", &file]).args(arguments)).await;
        assert!(said.starts_with("innkeeper: "), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}

#[tokio::test]
async fn operators_create_and_delete_users() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = Up::on(&database, &folder.path().join("inn")).await;
    let table = answer(&mut up.auth(&[
        "admin",
        "create-user",
        "ada@example.com",
        "correct-horse-9",
        "--confirm",
    ]))
    .await;
    assert!(
        table.contains("email      ada@example.com\n") && table.contains("confirmed  yes\n"),
        "{table}"
    );
    assert_eq!(up.sign_in("ada@example.com", "correct-horse-9").await, 200);

    let mut create = up.auth(&[
        "admin",
        "createuser",
        "root@example.com",
        "-",
        "--admin",
        "--confirm",
        "--json",
    ]);
    let mut child = create
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"battery-staple-9\r\n").await.unwrap();
    drop(input);
    let output = child.wait_with_output().await.unwrap();
    let user: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(user["role"], "service_role");
    let body = json!({ "email": "root@example.com", "password": "battery-staple-9" });
    let (_, session) = up.post("/token?grant_type=password", body).await;
    let users = reqwest::Client::new().get(format!("{}/admin/users", up.url));
    let users = users.bearer_auth(session["access_token"].as_str().unwrap());
    assert_eq!(users.send().await.unwrap().status(), 200);

    let deleted = answer(&mut up.auth(&["admin", "delete-user", "ada@example.com"])).await;
    assert!(deleted.starts_with("Deleted user "), "{deleted}");
    assert_eq!(up.sign_in("ada@example.com", "correct-horse-9").await, 400);
    let id = user["id"].as_str().unwrap();
    let deleted = answer(&mut up.auth(&["admin", "deleteuser", id, "--json"])).await;
    assert_eq!(
        serde_json::from_str::<Value>(&deleted).unwrap(),
        json!({ "id": id })
    );
    up.process.stop().await;
}

#[tokio::test]
async fn what_the_server_would_refuse_operators_are_refused_too() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = Up::on(&database, &folder.path().join("inn")).await;
    answer(&mut up.auth(&["admin", "create-user", "ada@example.com", "correct-horse-9"])).await;
    for (arguments, reason) in [
        (
            &["create-user", "ada@example.com", "correct-horse-9"][..],
            "already been registered",
        ),
        (
            &["create-user", "bob@example.com", "x"],
            "at least 6 characters",
        ),
        (&["create-user", "nobody", "correct-horse-9"], "email"),
        (&["delete-user", "bob@example.com"], "User not found"),
    ] {
        let said = complaint(up.auth(&["admin"]).args(arguments)).await;
        assert!(said.contains(reason), "{said}");
    }
    up.process.stop().await;
}

#[tokio::test]
async fn keys_are_generated_without_settings_and_work_as_one() {
    for (algorithm, kind) in [
        ("ES256", "EC"),
        ("EdDSA", "OKP"),
        ("rs256", "RSA"),
        ("HS256", "oct"),
    ] {
        let printed = answer(&mut innkeeper(&[
            "auth",
            "keys",
            "generate",
            "--algorithm",
            algorithm,
        ]))
        .await;
        let keys: Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(keys[0]["kty"], kind);
        let folder = folder();
        let more = format!("AUTH_JWT_KEYS='{}'\n", printed.trim());
        let file = settings(folder.path(), "postgres://localhost/x", &more);
        let token = answer(&mut innkeeper(&["auth", "token", "-c", &file])).await;
        assert_eq!(token.trim().split('.').count(), 3, "{token}");
    }
    let said = innkeeper(&["auth", "keys", "generate", "--algorithm", "none"]).output();
    assert_eq!(said.await.unwrap().status.code(), Some(2));
}

#[tokio::test]
async fn rotated_keys_sign_and_the_former_ones_verify_until_they_are_revoked() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let data = folder.path().join("inn");
    let up = Up::on(&database, &data).await;
    answer(&mut up.auth(&[
        "admin",
        "create-user",
        "ada@example.com",
        "correct-horse-9",
        "--confirm",
    ]))
    .await;
    let body = json!({ "email": "ada@example.com", "password": "correct-horse-9" });
    let (_, session) = up.post("/token?grant_type=password", body).await;
    let rotated = answer(&mut up.auth(&["keys", "rotate", "--json"])).await;
    let kid = serde_json::from_str::<Value>(&rotated).unwrap()["kid"].clone();
    up.process.stop().await;

    let up = Up::on(&database, &data).await;
    let keys: Value = reqwest::get(format!("{}/.well-known/jwks.json", up.url))
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let kids: Vec<&Value> = keys["keys"]
        .as_array()
        .unwrap()
        .iter()
        .map(|key| &key["kid"])
        .collect();
    assert!(kids.len() == 2 && kids.contains(&&kid), "{keys}");
    let token = session["access_token"].as_str().unwrap();
    let user = || {
        let user = reqwest::Client::new().get(format!("{}/user", up.url));
        user.bearer_auth(token).send()
    };
    assert_eq!(user().await.unwrap().status(), 200);

    let listed = answer(&mut up.auth(&["keys", "list", "--json"])).await;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(
        (&listed[0]["kid"], &listed[0]["state"]),
        (&kid, &json!("signs"))
    );
    assert_eq!(listed[1]["state"], "verifies");
    let old = listed[1]["kid"].as_str().unwrap();
    let said = answer(&mut up.auth(&["keys", "revoke", old])).await;
    assert_eq!(said, format!("Key {old} is revoked.\n"));
    // Within five seconds, and what a busy machine adds: the other work in the background comes every thirty.
    let within = Duration::from_secs(20);
    let is_refused = async || user().await.unwrap().status() == 403;
    let refused = eventually("the key is refused", is_refused);
    tokio::time::timeout(within, refused).await.unwrap();
    let said = complaint(&mut up.auth(&["keys", "revoke", kid.as_str().unwrap()])).await;
    assert!(said.contains("rotate --revoke-old"), "{said}");
    // A key may be named so.
    let said = complaint(&mut up.auth(&["keys", "revoke", "-7hK"])).await;
    assert!(said.contains("-7hK"), "{said}");
    let said = answer(&mut up.auth(&["keys", "rotate", "--revoke-old"])).await;
    assert!(said.ends_with("Earlier keys are revoked.\n"), "{said}");
    let listed = answer(&mut up.auth(&["keys", "list"])).await;
    assert_eq!(listed.matches("revoked").count(), 2, "{listed}");
    up.process.stop().await;
}

#[tokio::test]
async fn a_token_is_for_a_service_or_for_an_app_and_may_end() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = Up::on(&database, &folder.path().join("inn")).await;
    let users = async |token: &str| {
        let request = reqwest::Client::new().get(format!("{}/admin/users", up.url));
        let answer = request.bearer_auth(token.trim()).send().await.unwrap();
        answer.status().as_u16()
    };
    let service = answer(&mut up.auth(&["token"])).await;
    assert_eq!(users(&service).await, 200);
    let anon = answer(&mut up.auth(&["token", "--role", "anon"])).await;
    assert_eq!(users(&anon).await, 403);
    let short = answer(&mut up.auth(&["token", "--expires", "1h30m", "--json"])).await;
    let short: Value = serde_json::from_str(&short).unwrap();
    assert_eq!(
        (&short["role"], &short["expires_in"]),
        (&json!("service_role"), &json!(5400))
    );
    assert_eq!(users(short["token"].as_str().unwrap()).await, 200);
    for wrong in ["soon", "0", "-5s"] {
        let output = up
            .auth(&["token", &format!("--expires={wrong}")])
            .output()
            .await
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    }
    up.process.stop().await;
}
