//! The status page and articles of the hosting server, in a browser.

use std::path::{Path, PathBuf};

use innkeeper_service::testing::TestDatabase;
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::support::{Up, answer, folder, innkeeper};

/// Everything that Markdown can say, for a reader who cannot see.
const ARTICLE: &str = "---\ntitle: Everything\ndate: 2026-01-01\n---\n\
    ## First\n\nWith a [link](https://inn.example/) and `code`.\n\n### Deeper\n\n\
    - [x] done, see [there](https://inn.example/)\n- [ ] open\n  - a part of it\n\n\
    - [x] alone\n\n  in two paragraphs\n\n\
    | Name | Number |\n|---|--:|\n| one | 1 |\n\n> [!NOTE]\n> Mind the step.\n\n\
    ```rust\nfn main() {}\n```\n\nA note[^1].\n\n[^1]: At the end.\n\n![A cover](/images/covers/kb.svg)\n\n<details><summary>More</summary>Hidden.</details>\n";

fn screenshots() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("status-page")
}

/// Runs a command whose arguments are separated by bars.
async fn hosting(up: &Up, arguments: &str) -> String {
    let mut command = innkeeper(&["hosting", "--data-dir"]);
    answer(command.arg(&up.data).args(arguments.split('|'))).await
}

async fn status(up: &Up) -> Value {
    let answer = reqwest::get(format!("{}/status", up.hosting_url)).await;
    answer.unwrap().json().await.unwrap()
}

/// Follows the link of the widget on the start page to the status page.
async fn follow_widget(browser: &mut Browser, up: &Up) {
    browser.visit(&up.portal_url).await;
    let link =
        "document.querySelector('heo-status')?.shadowRoot.querySelector('.box:not([hidden]) a')";
    browser.wait_until(&format!("Boolean({link})")).await;
    assert_eq!(
        browser.evaluate(&format!("{link}.textContent")).await,
        "Details"
    );
    browser.evaluate(&format!("{link}.click()")).await;
    let page = format!("{}/status.html", up.hosting_url);
    browser
        .wait_until(&format!("location.href === '{page}'"))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_customer_follows_an_incident_on_the_status_page() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = Up::on(&database, &folder.path().join("inn")).await;
    let mut browser = Browser::start().await;
    let open = "incident|open|Slow <b>disks</b>|-i|major|--on|vps-fsn|-m|";
    let message = "We look for the cause.\n<script>attacked = 1</script>";
    let id = hosting(&up, &format!("{open}{message}")).await;
    let id = id.trim();
    // The very next request shows it.
    let shown = status(&up).await;
    assert_eq!(shown["incidents"][0]["title"], "Slow <b>disks</b>");
    assert_eq!(shown["status"]["indicator"], "major");

    follow_widget(&mut browser, &up).await;
    browser.wait_for_text("Partial outage").await;
    browser.wait_for_text("Slow <b>disks</b>").await;
    browser.wait_for_text("<script>attacked = 1</script>").await;
    browser.wait_for_text("Virtual servers, Falkenstein").await;
    browser.check_page(&screenshots(), "incident").await;

    let monitoring = "--status|monitoring|-m|A disk was replaced.";
    hosting(&up, &format!("incident|update|{id}|{monitoring}")).await;
    browser.evaluate("location.reload()").await;
    browser.wait_for_text("A disk was replaced.").await;
    let schedule = "maintenance|schedule|New switches|--for|1h|--on|games";
    hosting(&up, schedule).await;
    hosting(&up, &format!("incident|close|{id}")).await;
    browser.evaluate("location.reload()").await;
    browser.wait_for_text("Maintenance in progress").await;
    browser.wait_for_text("Past seven days").await;
    browser.check_page(&screenshots(), "maintenance").await;
    let shown = status(&up).await;
    assert_eq!(shown["incidents"][0]["status"], "resolved");
    assert_eq!(shown["maintenances"][0]["status"], "in_progress");

    // The feed is what the link leads to.
    let feed = "document.querySelector('footer a').href";
    let feed = browser.evaluate(feed).await;
    let feed = reqwest::get(feed.as_str().unwrap()).await.unwrap();
    assert!(feed.text().await.unwrap().contains("New switches"));
    assert_eq!(browser.evaluate("typeof attacked").await, "undefined");
    assert_eq!(browser.complaints, Vec::<String>::new());
    up.process.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_article_is_there_at_once_and_for_everybody() {
    let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
    let up = Up::on(&database, &folder.path().join("inn")).await;
    std::fs::write(up.data.join("content/kb/everything.md"), ARTICLE).unwrap();
    let article = format!("{}/kb/article?path=/kb/everything", up.hosting_url);
    let article: Value = reqwest::get(article).await.unwrap().json().await.unwrap();
    assert_eq!(article["title"], "Everything");

    let mut browser = Browser::start().await;
    browser
        .visit(&format!("{}/kb/everything", up.portal_url))
        .await;
    browser.wait_for_text("Mind the step.").await;
    let labels = "[...document.querySelectorAll('#body input')].map((box) => box.labels[0]?.innerText.trim())";
    assert_eq!(
        browser.evaluate(labels).await,
        json!(["done, see there", "open", "alone"])
    );
    browser.check_page(&screenshots(), "article").await;
    assert_eq!(browser.complaints, Vec::<String>::new());
    up.process.stop().await;
}
