//! A reader tries the APIs of both servers on their pages.

use std::path::Path;

use innkeeper_service::testing::TestDatabase;
use serde_json::{Value, json};

use super::{choose, open, screenshots, send};
use crate::browser::Browser;
use crate::support::{Up, answer, folder, innkeeper};

/// A game that no server of these tests starts.
const PROFILE: &str = "\
name = 'blocks'
image = 'registry.example/blocks:1.21'
data_path = '/data'
stop = { command = 'stop' }
";

/// The operations that a page lists, as methods and paths.
const LISTED: &str = "[...document.querySelectorAll('#entries a[href^=\"#/operation/\"]')].map((link) => link.textContent).sort()";

/// Returns the operations that a document describes, as methods and paths.
async fn described(url: &str) -> Value {
    let document: Value = reqwest::get(url).await.unwrap().json().await.unwrap();
    let paths = document["paths"].as_object().unwrap().iter();
    let mut all: Vec<String> = paths
        .flat_map(|(path, item)| {
            let methods = item.as_object().unwrap().keys();
            methods.map(move |method| format!("{} {path}", method.to_uppercase()))
        })
        .collect();
    all.sort();
    json!(all)
}

/// Follows a link of the menu, opens everything that is folded, and returns what is wrong with what is shown.
const READ: &str = "async (number) => {
    const link = document.querySelectorAll('#entries a')[number];
    const isShown = new Promise((done) => addEventListener('hashchange', done, { once: true }));
    link.click();
    await isShown;
    const unread = () => [...document.querySelectorAll('main details')].filter((details) => !details.open || details.childElementCount === 1);
    for (let folded = unread(); folded.length > 0; folded = unread()) {
        folded.forEach((details) => details.open = true);
        await new Promise((done) => setTimeout(done));
    }
    const main = document.querySelector('main');
    const wrong = /Any content|cannot be shown|undefined|\\[object/.exec(main.innerText);
    if (wrong) return `${link.textContent}: ${wrong[0]}`;
    return document.documentElement.scrollWidth > 360 ? `${link.textContent} is too wide` : '';
}";

/// Opens every operation and every schema on a narrow screen.
async fn read_everything(browser: &mut Browser) {
    browser.emulate(360, "light").await;
    let count = "document.querySelectorAll('#entries a').length";
    let count = browser.evaluate(count).await.as_u64().unwrap();
    assert!(count > 80, "{count}");
    for number in 0..count {
        let wrong = browser.evaluate(&format!("({READ})({number})")).await;
        assert_eq!(wrong, "", "{number}");
    }
    browser.emulate(1280, "light").await;
}

/// Signs up by the page and returns the access token.
async fn sign_up(browser: &mut Browser) -> String {
    choose(browser, "POST", "/signup").await;
    browser
        .fill(
            "textarea.body",
            r#"{"email": "ada@example.com", "password": "correct-horse-9"}"#,
        )
        .await;
    let sample = "document.querySelector('.choices + div code').textContent";
    let sample = browser.evaluate(sample).await;
    let sample = sample.as_str().unwrap();
    assert!(
        sample.starts_with("curl \\\n  'http://127.0.0.1:") && sample.contains("correct-horse-9"),
        "{sample}"
    );
    let (status, body) = send(browser).await;
    assert_eq!(status, "200 OK", "{body}");

    choose(browser, "POST", "/token").await;
    browser
        .fill("select:has(option[value=password])", "password")
        .await;
    browser
        .fill(
            "textarea.body",
            r#"{"email": "ada@example.com", "password": "correct-horse-9"}"#,
        )
        .await;
    let (status, body) = send(browser).await;
    assert_eq!(status, "200 OK", "{body}");
    let session: Value = serde_json::from_str(&body).unwrap();
    session["access_token"].as_str().unwrap().to_owned()
}

/// Opens addresses that do not exist, and follows the link to the documentation.
async fn get_lost(browser: &mut Browser, url: &str, server: &str) {
    browser.visit(&format!("{url}/")).await;
    browser.wait_for_text("It has no start page.").await;
    browser.visit(&format!("{url}/nowhere/%3Cb%3E'")).await;
    browser.wait_for_text("/nowhere/%3Cb%3E'").await;
    browser
        .check_page(&screenshots(), &format!("{server}-not-found"))
        .await;
    browser.click("a[href$='/docs']").await;
    let shown =
        format!("document.querySelector('main h1')?.textContent.startsWith('Innkeeper {server}')");
    browser.wait_until(&shown).await;
}

/// Starts both servers on a database of the tests. Accounts are confirmed at once.
async fn start(database: &TestDatabase, folder: &Path) -> Up {
    let data = folder.join("inn");
    let mut command = Up::command(&data);
    command
        .env("DATABASE_URL", database.url())
        .env("AUTH_MAILER_AUTOCONFIRM", "true");
    Up::from(&mut command, &data).await
}

/// Reads JSON with a token, as a program does.
async fn read(url: &str, token: &str) -> Value {
    let request = reqwest::Client::new().get(url).bearer_auth(token);
    request.send().await.unwrap().json().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_tries_the_api_of_the_auth_server() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = start(&database, folder.path()).await;
    let mut browser = Browser::start().await;
    open(&mut browser, &format!("{}/docs", up.url), "Innkeeper auth").await;
    assert_eq!(
        browser.evaluate(LISTED).await,
        described(&format!("{}/openapi.json", up.url)).await
    );
    browser.check_page(&screenshots(), "auth").await;
    read_everything(&mut browser).await;
    let token = sign_up(&mut browser).await;

    choose(&mut browser, "GET", "/user").await;
    let (status, body) = send(&mut browser).await;
    assert_eq!(status, "401 Unauthorized", "{body}");
    browser.fill("input[type=password]", &token).await;
    let (status, body) = send(&mut browser).await;
    assert_eq!(status, "200 OK", "{body}");
    assert!(body.contains("\"email\": \"ada@example.com\""), "{body}");
    browser.check_page(&screenshots(), "auth-user").await;

    // The token is remembered for other operations, and is in no sample.
    choose(&mut browser, "PUT", "/user").await;
    browser
        .fill("textarea.body", r#"{"data": {"name": "<b>Ada</b>"}}"#)
        .await;
    let (status, body) = send(&mut browser).await;
    assert_eq!(status, "200 OK", "{body}");
    let page = browser
        .evaluate("document.documentElement.textContent")
        .await;
    assert!(!page.as_str().unwrap().contains(&token));
    let user = read(&format!("{}/user", up.url), &token).await;
    assert_eq!(user["user_metadata"]["name"], "<b>Ada</b>");
    get_lost(&mut browser, &up.url, "auth").await;
    assert_eq!(browser.complaints, Vec::<String>::new());
    up.process.stop().await;
}

/// Creates a customer with a game server, and returns an API key.
async fn api_key(up: &Up) -> String {
    let hosting = async |line: &str| {
        let mut command = innkeeper(&["hosting", "--data-dir"]);
        answer(command.arg(&up.data).args(line.split(' '))).await
    };
    let profile = up.data.join("blocks.toml");
    std::fs::write(&profile, PROFILE).unwrap();
    hosting("customer add North --id north").await;
    hosting(&format!("profile set {}", profile.display())).await;
    hosting("game add --customer north --id survival --profile blocks --memory 512M --disk 1G")
        .await;
    let key = "key create --customer north --name CI --scope game:read --scope game:power";
    hosting(key).await.trim().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_tries_the_api_of_the_hosting_server() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = start(&database, folder.path()).await;
    let key = api_key(&up).await;
    let mut browser = Browser::start().await;
    let docs = format!("{}/docs", up.hosting_url);
    open(&mut browser, &docs, "Innkeeper hosting").await;
    assert_eq!(
        browser.evaluate(LISTED).await,
        described(&format!("{}/openapi.json", up.hosting_url)).await
    );
    browser.check_page(&screenshots(), "hosting").await;
    read_everything(&mut browser).await;

    choose(&mut browser, "GET", "/v1/hosting/key").await;
    browser.fill("input[type=password]", &key).await;
    let (status, body) = send(&mut browser).await;
    assert_eq!(status, "200 OK", "{body}");
    browser.check_page(&screenshots(), "hosting-key").await;

    // The example of the document is the id of the server.
    let start = "/v1/hosting/game/power/{server_id}/start";
    choose(&mut browser, "POST", start).await;
    browser.click(".jump").await;
    browser
        .wait_until("document.activeElement.textContent === 'Try it' && scrollY > 0")
        .await;
    let (status, body) = send(&mut browser).await;
    assert_eq!(status, "202 Accepted", "{body}");
    let answer: Value = serde_json::from_str(&body).unwrap();
    let id = answer["action"]["id"].as_str().unwrap();
    let action = read(&format!("{}/hosting/actions/{id}", up.hosting_url), &key).await;
    assert_eq!(
        (&action["command"], &action["status"]),
        (&json!("start"), &json!("queued")),
        "{action}"
    );
    let root = up.hosting_url.trim_end_matches("/v1");
    get_lost(&mut browser, root, "hosting").await;
    assert_eq!(browser.complaints, Vec::<String>::new());
    up.process.stop().await;
}
