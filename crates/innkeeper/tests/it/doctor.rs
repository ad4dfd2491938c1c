//! `innkeeper doctor`, on healthy and broken installations.

use std::path::Path;

use innkeeper_rest::{App, Response, RestApi, Server, Tls, resource};
use innkeeper_service::testing::{GrpcReceiver, TestDatabase};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::support::{Up, answer, folder, innkeeper, run, text};

/// Returns the findings of a part, as `state: what`.
fn of(part: &str, document: &Value) -> Vec<String> {
    let findings = document["findings"].as_array().unwrap().iter();
    findings
        .filter(|finding| finding["part"] == part)
        .map(|finding| {
            let [state, what] = ["state", "what"].map(|key| finding[key].as_str().unwrap());
            format!("{state}: {what}")
        })
        .collect()
}

fn doctor(arguments: &[&str], folder: &Path) -> Command {
    let mut command = innkeeper(&["doctor"]);
    command.args(arguments).current_dir(folder);
    command
}

/// Returns valid settings of the auth server, with a mail server that does not exist.
fn settings(database: &str) -> String {
    format!(
        "AUTH_DATABASE_URL={database}\nAUTH_SITE_URL=http://localhost\n\
         AUTH_API_EXTERNAL_URL=http://localhost:1\nAUTH_JWT_SECRET={}\nAUTH_SMTP_HOST=127.0.0.1\n\
         AUTH_SMTP_PORT=1\nAUTH_SMTP_ADMIN_EMAIL=inn@example.com\n\
         AUTH_REDIS_URL=redis://127.0.0.1:1\n",
        "s3cret-".repeat(6)
    )
}

#[tokio::test]
async fn a_running_inn_is_healthy_in_all_its_parts() {
    let database = TestDatabase::empty().await.unwrap();
    let folder = folder();
    let up = Up::on(&database, &folder.path().join("inn")).await;

    let said = answer(&mut doctor(&["--data-dir", "inn", "--json"], folder.path())).await;

    let document: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(document["problems"], 0, "{said}");
    let auth = of("auth", &document);
    assert!(
        auth[0].starts_with("ok: the settings are valid"),
        "{auth:?}"
    );
    assert!(
        auth.iter()
            .any(|line| line.starts_with("ok: the database responds: PostgreSQL "))
    );
    assert!(
        auth.contains(&"ok: the schema is up to date".to_owned()),
        "{auth:?}"
    );
    assert!(
        auth.iter()
            .any(|line| line.starts_with("ok: the mail server 127.0.0.1:")),
        "{auth:?}"
    );
    let provider = format!(
        "ok: the provider keycloak: {}/demo-provider/.well-known/openid-configuration responds, the redirect \
         URI is right",
        up.portal_url
    );
    assert!(auth.contains(&provider), "{auth:?}");
    let hosting = of("hosting", &document);
    assert!(
        hosting
            .iter()
            .any(|line| line.starts_with("ok: the content is valid: ")),
        "{hosting:?}"
    );
    assert!(!of("machine", &document).is_empty());

    let said = answer(&mut doctor(&["--data-dir", "inn"], folder.path())).await;
    assert!(
        said.contains("\nauth\n  ok       the settings are valid"),
        "{said}"
    );
    up.process.stop().await;
}

#[tokio::test]
async fn each_part_that_is_away_is_named_with_what_to_do() {
    let database = TestDatabase::empty().await.unwrap();
    let folder = folder();
    std::fs::write(folder.path().join("auth.env"), settings(database.url())).unwrap();
    std::fs::write(
        folder.path().join("hosting.env"),
        "HOSTING_DATABASE_URL=postgres://127.0.0.1:1/none\n",
    )
    .unwrap();
    let arguments = [
        "--auth-config",
        "auth.env",
        "--hosting-config",
        "hosting.env",
        "--json",
    ];

    let output = run(&mut doctor(&arguments, folder.path())).await;

    assert_eq!(output.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let auth = of("auth", &document);
    assert!(
        auth.iter()
            .any(|line| line.starts_with("ok: the database responds")),
        "{auth:?}"
    );
    assert!(
        auth.iter()
            .any(|line| line.starts_with("warning: the schema is missing ")),
        "{auth:?}"
    );
    assert!(
        auth.iter()
            .any(|line| line.starts_with("problem: the mail server 127.0.0.1:1: "))
    );
    assert!(
        auth.iter()
            .any(|line| line.starts_with("problem: the Redis for shared rate limits: "))
    );
    let hosting = of("hosting", &document);
    assert!(
        hosting
            .iter()
            .any(|line| line.starts_with("problem: the database: ")),
        "{hosting:?}"
    );
    let all = document["findings"].as_array().unwrap();
    assert!(
        all.iter()
            .all(|finding| finding["state"] != "problem" || finding["advice"].is_string())
    );
    let problems = document["problems"].as_u64().unwrap();
    let end = format!("innkeeper: found {problems} problems\n");
    assert!(text(&output.stderr).ends_with(&end));
}

#[tokio::test]
async fn what_machines_need_is_named() {
    let folder = folder();
    let settings = format!(
        "HOSTING_DATABASE_URL=postgres://127.0.0.1:1/none\nHOSTING_MACHINES_DIR=/{}\n\
         HOSTING_QEMU_BINARY=/nowhere/qemu-system-x86_64\n",
        "a".repeat(60)
    );
    std::fs::write(folder.path().join("hosting.env"), settings).unwrap();
    let arguments = ["--hosting-config", "hosting.env", "--json"];
    let output = run(&mut doctor(&arguments, folder.path())).await;
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let hosting = of("hosting", &document);
    for (machines, problem) in [
        ("game servers", "set HOSTING_CONTAINER_STORE"),
        (
            "virtual private servers",
            "/nowhere/qemu-system-x86_64 is not installed",
        ),
    ] {
        let begin = format!("warning: {machines} cannot run on this host: ");
        let mut lines = hosting.iter();
        let is_named = lines.any(|line| line.starts_with(&begin) && line.contains(problem));
        assert!(is_named, "{hosting:?}");
    }

    std::fs::write(folder.path().join("hosting.env"), "").unwrap();
    let output = run(&mut doctor(&arguments, folder.path())).await;
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let hosting = of("hosting", &document);
    let none = "note: the settings name no folder for machines";
    assert!(
        hosting.iter().any(|line| line.starts_with(none)),
        "{hosting:?}"
    );
}

#[tokio::test]
async fn wrong_settings_are_listed_one_by_one() {
    let folder = folder();
    std::fs::write(
        folder.path().join("auth.env"),
        "AUTH_SITE_URL=here\nAUTH_PORT=many\n",
    )
    .unwrap();

    let output = run(&mut doctor(&["--auth-config", "auth.env"], folder.path())).await;

    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    assert!(said.contains("problem  AUTH_SITE_URL: "), "{said}");
    assert!(said.contains("problem  AUTH_PORT: "), "{said}");
    assert!(
        said.contains("problem  AUTH_DATABASE_URL: is required"),
        "{said}"
    );
}

#[tokio::test]
async fn without_settings_the_machine_alone_is_looked_at() {
    let folder = folder();

    let said = answer(&mut doctor(&[], folder.path())).await;

    assert!(
        said.contains("note     no settings found for the auth server"),
        "{said}"
    );
    assert!(said.starts_with("machine\n"), "{said}");
}

#[tokio::test]
async fn an_inn_that_does_not_run_is_no_illness() {
    let folder = folder();
    std::fs::create_dir(folder.path().join(".innkeeper")).unwrap();

    let said = answer(&mut doctor(&[], folder.path())).await;

    assert!(said.contains("-> start it with `innkeeper up`"), "{said}");
}

/// Starts a server that has the discovery document of a Keycloak at `/realms/inn`, and returns its address.
fn start_keycloak() -> String {
    let server = Server::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", server.address());
    let keycloak = Keycloak {
        issuer: format!("{address}/realms/inn"),
    };
    let app = App::new().mount("/", RestApi::new(keycloak));
    tokio::spawn(server.serve(app));
    address
}

struct Keycloak {
    issuer: String,
}

#[resource("/realms/inn/.well-known/openid-configuration")]
impl Keycloak {
    #[get]
    fn document(&self) -> Value {
        let at = |path: &str| format!("{}/{path}", self.issuer);
        json!({
            "issuer": self.issuer, "jwks_uri": at("certs"), "authorization_endpoint": at("auth"),
            "token_endpoint": at("token"),
        })
    }
}

/// Returns settings that enable Keycloak at this URL.
fn keycloak(url: &str, redirect_uri: &str) -> String {
    format!(
        "AUTH_EXTERNAL_KEYCLOAK_ENABLED=true\nAUTH_EXTERNAL_KEYCLOAK_CLIENT_ID=inn\n\
         AUTH_EXTERNAL_KEYCLOAK_SECRET=hush\nAUTH_EXTERNAL_KEYCLOAK_URL={url}\n\
         AUTH_EXTERNAL_KEYCLOAK_REDIRECT_URI={redirect_uri}\nAUTH_INTERNAL_HTTP_TIMEOUT=1s\n"
    )
}

/// Runs the doctor with further settings, and returns what it finds about providers, with the advice.
async fn providers_of(settings: &str, more: &str) -> Vec<(String, Value)> {
    let folder = folder();
    std::fs::write(folder.path().join("auth.env"), format!("{settings}{more}")).unwrap();
    let arguments = ["--auth-config", "auth.env", "--json"];
    let output = run(&mut doctor(&arguments, folder.path())).await;
    assert_eq!(output.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = document["findings"].as_array().unwrap().iter();
    let findings = findings.filter(|finding| finding["part"] == "auth");
    let lines = findings.map(|finding| {
        let [state, what] = ["state", "what"].map(|key| finding[key].as_str().unwrap());
        (format!("{state}: {what}"), finding["advice"].clone())
    });
    lines
        .filter(|(line, _)| line.contains(": the provider "))
        .collect()
}

#[tokio::test]
async fn every_enabled_provider_is_checked() {
    let database = TestDatabase::empty().await.unwrap();
    let settings = settings(database.url());
    let address = start_keycloak();
    let realm = format!("{address}/realms/inn");
    let document = format!("{realm}/.well-known/openid-configuration");
    let right = "http://localhost:1/callback";

    let found = providers_of(&settings, &keycloak(&realm, right)).await;
    let good = format!("ok: the provider keycloak: {document} responds, the redirect URI is right");
    assert_eq!(found, [(good, Value::Null)]);

    // The document of another realm does not exist.
    let other = format!("{address}/realms/other");
    let found = providers_of(&settings, &keycloak(&other, right)).await;
    let missing = format!(
        "problem: the provider keycloak: {other}/.well-known/openid-configuration: the provider answered 404"
    );
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, missing);

    let wrong = "https://auth.example.com/callback";
    let found = providers_of(&settings, &keycloak(&realm, wrong)).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        found[0].0,
        format!(
            "problem: the provider keycloak: the redirect URI is {wrong}, but this server has {right}"
        )
    );
    let advice = found[0].1.as_str().unwrap();
    assert!(
        advice.starts_with(&format!("set AUTH_EXTERNAL_KEYCLOAK_REDIRECT_URI={right} ")),
        "{advice}"
    );

    // Both are wrong: the port is closed.
    let found = providers_of(&settings, &keycloak("http://127.0.0.1:1/realms/inn", wrong)).await;
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(
        found[0].0.starts_with(
            "problem: the provider keycloak: \
             http://127.0.0.1:1/realms/inn/.well-known/openid-configuration: no connection"
        ),
        "{found:?}"
    );

    // A provider without a document is asked for any response.
    let gitlab = keycloak(&address, right).replace("KEYCLOAK", "GITLAB");
    let found = providers_of(&settings, &gitlab).await;
    let good = format!("ok: the provider gitlab: {address} responds, the redirect URI is right");
    assert_eq!(found, [(good, Value::Null)]);
}

#[tokio::test]
async fn custom_providers_of_the_settings_are_checked() {
    let database = TestDatabase::empty().await.unwrap();
    let settings = settings(database.url());
    let address = start_keycloak();
    let custom = |realm: &str| {
        format!(
            "AUTH_EXTERNAL_CUSTOM_ACME_PROVIDER_TYPE=oidc\nAUTH_EXTERNAL_CUSTOM_ACME_CLIENT_ID=inn\n\
             AUTH_EXTERNAL_CUSTOM_ACME_CLIENT_SECRET=hush\n\
             AUTH_EXTERNAL_CUSTOM_ACME_ISSUER={address}/realms/{realm}\n"
        )
    };
    let found = providers_of(&settings, &custom("inn")).await;
    let good = format!(
        "ok: the provider custom:acme: {address}/realms/inn/.well-known/openid-configuration responds, \
         the redirect URI is right"
    );
    assert_eq!(found, [(good, Value::Null)]);

    let found = providers_of(&settings, &custom("other")).await;
    assert_eq!(found.len(), 1, "{found:?}");
    let (line, advice) = &found[0];
    assert!(
        line.starts_with("problem: the provider custom:acme: its discovery document: "),
        "{line}"
    );
    let advice = advice.as_str().unwrap();
    assert!(advice.contains("AUTH_EXTERNAL_CUSTOM_ACME_*"), "{advice}");
}

#[tokio::test]
async fn a_provider_that_never_answers_is_not_waited_for() {
    let database = TestDatabase::empty().await.unwrap();
    // Connections are accepted by the system, and nobody reads them.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let settings = settings(database.url());
    let keycloak = keycloak(&url, "http://localhost:1/callback");
    // After five seconds, and what a busy machine adds. Without an end it would wait for ever.
    let minute = std::time::Duration::from_mins(1);
    let found = tokio::time::timeout(minute, providers_of(&settings, &keycloak)).await;
    let found = found.unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].0.contains("no response in time"), "{found:?}");
}

#[tokio::test]
async fn incomplete_settings_of_a_provider_are_named() {
    let database = TestDatabase::empty().await.unwrap();
    let incomplete = "AUTH_EXTERNAL_GITHUB_ENABLED=true\nAUTH_EXTERNAL_GITHUB_CLIENT_ID=inn\n";
    let settings = settings(database.url());
    // In this profile the server starts without the provider.
    let gotrue = format!("{settings}AUTH_PROFILE=gotrue\n");
    let found = providers_of(&gotrue, incomplete).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        found[0].0,
        "problem: the provider github: missing OAuth secret"
    );
    let advice = found[0].1.as_str().unwrap();
    assert!(advice.contains("AUTH_EXTERNAL_GITHUB_SECRET"), "{advice}");

    let folder = folder();
    std::fs::write(
        folder.path().join("auth.env"),
        format!("{settings}{incomplete}"),
    )
    .unwrap();
    let output = run(&mut doctor(&["--auth-config", "auth.env"], folder.path())).await;
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    for name in ["SECRET", "REDIRECT_URI"] {
        let line = format!("problem  AUTH_EXTERNAL_GITHUB_{name}: is required");
        assert!(said.contains(&line), "{said}");
    }
}

/// Runs the doctor with further settings and returns what it finds about the auth server, as `state: what`.
async fn findings_of(more: &str) -> Vec<String> {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let settings = format!("{}{more}", settings(database.url()));
    std::fs::write(folder.path().join("auth.env"), settings).unwrap();
    let arguments = ["--auth-config", "auth.env", "--json"];
    let output = run(&mut doctor(&arguments, folder.path())).await;
    of("auth", &serde_json::from_slice(&output.stdout).unwrap())
}

/// A server in the place of a hook, a captcha service and a collector.
struct OtherServer;

#[resource("/")]
impl OtherServer {
    /// A hook, which counts calls.
    #[post("/hook")]
    fn hook(&self) -> Value {
        panic!("the hook is called")
    }

    /// Knows one secret, and no answer is right.
    #[post("/siteverify")]
    fn siteverify(&self, #[param] secret: String, #[param] response: String) -> Value {
        assert!(!response.is_empty());
        let known = secret == "known";
        let code = if known {
            "invalid-input-response"
        } else {
            "invalid-input-secret"
        };
        json!({ "success": false, "error-codes": [code] })
    }

    /// Accepts what is sent with the key.
    #[post("/v1/traces")]
    fn collect(&self, #[header("x-key")] key: String, #[body] body: String) -> Response {
        assert_eq!(body, "");
        Response::status(if key == "right" { 200 } else { 401 })
    }
}

#[tokio::test]
async fn hooks_the_captcha_service_and_the_collector_are_asked_and_no_hook_is_called() {
    let server = Server::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", server.address());
    tokio::spawn(server.serve(App::new().mount("/", RestApi::new(OtherServer))));
    let settings = |hook: &str, function: &str, secret: &str, key: &str| {
        format!(
            "AUTH_HOOK_BEFORE_USER_CREATED_ENABLED=true\n\
             AUTH_HOOK_BEFORE_USER_CREATED_URI={hook}?token=hush\n\
             AUTH_HOOK_BEFORE_USER_CREATED_SECRETS='v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'\n\
             AUTH_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED=true\n\
             AUTH_HOOK_CUSTOM_ACCESS_TOKEN_URI=pg-functions://postgres/pg_catalog/{function}\n\
             AUTH_SECURITY_CAPTCHA_ENABLED=true\nAUTH_SECURITY_CAPTCHA_SECRET={secret}\n\
             AUTH_SECURITY_CAPTCHA_URL={address}/siteverify\n\
             AUTH_TRACING_ENABLED=true\nOTEL_EXPORTER_OTLP_ENDPOINT={address}\n\
             OTEL_EXPORTER_OTLP_HEADERS=x-key={key}\n"
        )
    };
    let hook = format!("{address}/hook");

    let found = findings_of(&settings(&hook, "jsonb_pretty", "known", "right")).await;
    for good in [
        format!("ok: the hook before-user-created: {hook} can be called"),
        "ok: the hook customize-access-token: pg_catalog.jsonb_pretty can be called".to_owned(),
        "ok: the captcha service responds and knows the secret".to_owned(),
        format!("ok: the collector {address}/v1/traces accepts telemetry"),
    ] {
        assert!(found.contains(&good), "{good}: {found:#?}");
    }

    let away = "http://127.0.0.1:1/hook";
    let found = findings_of(&settings(away, "nothing_here", "unknown", "wrong")).await;
    for bad in [
        format!("problem: the hook before-user-created: {away}: no connection"),
        "problem: the hook customize-access-token: pg_catalog.nothing_here: function \
         pg_catalog.nothing_here(jsonb) does not exist"
            .to_owned(),
        "problem: the captcha service: the captcha service does not accept the secret: invalid-input-secret"
            .to_owned(),
        format!("problem: the collector {address}/v1/traces: it answers 401 Unauthorized"),
    ] {
        assert!(
            found.iter().any(|line| line.starts_with(&bad)),
            "{bad}: {found:#?}"
        );
    }
    assert!(!found.concat().contains("hush"), "{found:#?}");
}

#[tokio::test]
async fn a_hook_with_a_certificate_is_reached_if_the_system_trusts_it() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let own = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    std::fs::write(path("certificate.pem"), own.cert.pem()).unwrap();
    std::fs::write(path("key.pem"), own.signing_key.serialize_pem()).unwrap();
    let tls = Tls::from_files(path("certificate.pem"), path("key.pem")).unwrap();
    let server = Server::bind("127.0.0.1:0").unwrap().tls(tls);
    let hook = format!("https://localhost:{}/hook", server.address().port());
    tokio::spawn(server.serve(App::new().mount("/", RestApi::new(OtherServer))));
    let database = TestDatabase::empty().await.unwrap();
    let settings = format!(
        "{}AUTH_HOOK_BEFORE_USER_CREATED_ENABLED=true\nAUTH_HOOK_BEFORE_USER_CREATED_URI={hook}\n\
         AUTH_HOOK_BEFORE_USER_CREATED_SECRETS='v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'\n",
        settings(database.url())
    );
    std::fs::write(path("auth.env"), settings).unwrap();
    let arguments = ["--auth-config", "auth.env", "--json"];
    let found = async |command: &mut Command| {
        let output = run(command).await;
        of("auth", &serde_json::from_slice(&output.stdout).unwrap())
    };

    let mut trusting = doctor(&arguments, folder.path());
    let found_by_trusting = found(trusting.env("SSL_CERT_FILE", path("certificate.pem"))).await;
    let good = format!("ok: the hook before-user-created: {hook} can be called");
    assert!(found_by_trusting.contains(&good), "{found_by_trusting:#?}");

    let others = found(&mut doctor(&arguments, folder.path())).await;
    let bad = format!(
        "problem: the hook before-user-created: {hook}: no connection: invalid peer certificate"
    );
    assert!(
        others.iter().any(|line| line.starts_with(&bad)),
        "{others:#?}"
    );
}

#[tokio::test]
async fn checks_of_a_start_and_missing_files_are_problems() {
    let folder = folder();
    let arguments = [
        "--auth-config",
        "nowhere.env",
        "--hosting-config",
        "hosting.env",
    ];
    std::fs::write(
        folder.path().join("hosting.env"),
        "HOSTING_HOST=192.0.2.1\n",
    )
    .unwrap();
    let output = run(&mut doctor(&arguments, folder.path())).await;
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let file = "problem  cannot read the settings file nowhere.env: No such file or directory";
    assert_eq!(said.matches(file).count(), 1, "{said}");
    assert!(!said.contains("is required"), "{said}");
    assert!(
        said.contains("problem  cannot listen on 192.0.2.1 port 8080: "),
        "{said}"
    );

    let found = findings_of("AUTH_URI_ALLOW_LIST=[\n").await;
    assert!(
        found
            .iter()
            .any(|line| line.starts_with("problem: ") && line.contains("URI_ALLOW_LIST")),
        "{found:#?}"
    );
}

#[tokio::test]
async fn a_collector_that_is_reached_by_grpc_is_asked_by_grpc() {
    let receiver = GrpcReceiver::start().await.unwrap();
    let settings = |url: &str| {
        format!(
            "AUTH_TRACING_ENABLED=true\nOTEL_EXPORTER_OTLP_PROTOCOL=grpc\n\
             OTEL_EXPORTER_OTLP_ENDPOINT={url}\nOTEL_EXPORTER_OTLP_HEADERS=x-key=right\n"
        )
    };
    let about_the_collector = async |url: &str| {
        let mut found = findings_of(&settings(url)).await;
        found.retain(|line| line.contains(": the collector "));
        found
    };
    let service = "opentelemetry.proto.collector.trace.v1.TraceService/Export";
    let address = format!("{}/{service}", receiver.url());
    let found = about_the_collector(&receiver.url()).await;
    assert_eq!(
        found,
        [format!("ok: the collector {address} accepts telemetry")]
    );
    let calls = receiver.calls();
    assert_eq!((calls.len(), calls[0].message.len()), (1, 0));
    assert_eq!(calls[0].header("x-key"), "right");

    receiver.refuse_next(16);
    let found = about_the_collector(&receiver.url()).await;
    let refused = format!("problem: the collector {address}: it answers 401 Unauthorized");
    assert_eq!(found, [refused]);
    let found = about_the_collector("http://127.0.0.1:1").await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("Connection refused"), "{found:?}");
}
