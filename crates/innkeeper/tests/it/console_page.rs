//! The console page, in a browser, with a game server in a real container.

use std::path::Path;

use innkeeper_service::testing::{HeldPort, TestDatabase};
use serde_json::json;
use tokio::process::Command;

use crate::browser::Browser;
use crate::machines::{Customer, MachinesFolder, lift_limits};
use crate::support::{Up, innkeeper};

/// The lines of the terminal as text. They are there for screen readers too.
const LINES: &str = "[...document.querySelectorAll('.xterm-accessibility-tree > *')]\
                     .map((line) => line.textContent.replaceAll('\\u00a0', ' ').trimEnd()).join('\\n')";
const STATE: &str = "document.getElementById('state').textContent";

/// Returns the command on a fixed port, so that a page finds the server again after a restart.
fn command(data: &Path, database: &TestDatabase, port: &HeldPort) -> Command {
    let mut command = innkeeper(&["up", "--json", "--auth-port", "0", "--portal-port", "0"]);
    command
        .args([
            "--mail-port",
            "0",
            "--hosting-port",
            &port.number().to_string(),
        ])
        .arg("--data-dir")
        .arg(data)
        .env("DATABASE_URL", database.url())
        .env("HOSTING_QEMU_BINARY", "/nowhere/qemu-system-x86_64");
    lift_limits(&mut command);
    command
}

async fn wait_for_line(browser: &mut Browser, text: &str) {
    browser
        .wait_until(&format!("{LINES}.includes({text:?})"))
        .await;
}

async fn wait_for_state(browser: &mut Browser, state: &str) {
    browser.wait_until(&format!("{STATE} === {state:?}")).await;
}

/// Types a line and presses Enter.
async fn type_line(browser: &mut Browser, line: &str) {
    browser
        .wait_until("!document.getElementById('line').disabled")
        .await;
    let fill = format!("document.getElementById('line').value = {line:?}");
    browser.evaluate(&fill).await;
    browser
        .evaluate("document.getElementById('line').focus()")
        .await;
    browser.press("Enter").await;
}

async fn power(browser: &mut Browser, action: &str) {
    browser
        .click(&format!("#power button[value={action}]"))
        .await;
}

/// Opens the console by the link of the start page.
async fn open_from_the_start_page(browser: &mut Browser, portal: &str, page: &str) {
    browser.visit(portal).await;
    browser.wait_for_text("Demo game server").await;
    browser.click("#machines a").await;
    browser.switch_to_new_tab(page).await;
    wait_for_state(browser, "running").await;
    wait_for_line(browser, "Ready for players").await;
    let address = browser.evaluate("location.href").await;
    let expected = format!("{page}#server=demo-game");
    assert_eq!(address, expected, "the ticket is gone");
}

async fn fits_on_screens(browser: &mut Browser) {
    for (width, scheme) in [(360, "light"), (1280, "dark")] {
        browser.emulate(width, scheme).await;
        let name = format!("console-{width}-{scheme}.png");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tour");
        browser.screenshot(&folder.join(&name)).await;
        let fits = "document.documentElement.scrollWidth <= innerWidth";
        assert_eq!(browser.evaluate(fits).await, true, "{name}");
        assert_eq!(browser.violations().await, json!([]), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_customer_uses_the_console_of_a_container_in_a_browser() {
    let (machines, database) = (
        MachinesFolder::new().await,
        TestDatabase::empty().await.unwrap(),
    );
    let port = HeldPort::take().unwrap();
    let up = Up::from(
        &mut command(&machines.data, &database, &port),
        &machines.data,
    )
    .await;
    Customer::of(&up).until("game/demo-game", "running").await;
    let page = format!("{}/console", up.hosting_url);
    let mut browser = Browser::start().await;
    open_from_the_start_page(&mut browser, &up.portal_url, &page).await;

    type_line(&mut browser, "say hello from the page").await;
    wait_for_line(&mut browser, "> say hello from the page").await;
    power(&mut browser, "stop").await;
    wait_for_state(&mut browser, "stopped").await;
    power(&mut browser, "start").await;
    wait_for_state(&mut browser, "running").await;
    fits_on_screens(&mut browser).await;

    // The page finds the server again, and misses nothing that was written meanwhile.
    type_line(&mut browser, "say before the crash").await;
    wait_for_line(&mut browser, "> say before the crash").await;
    up.process.kill().await;
    browser.wait_for_text("The connection was lost").await;
    let up = Up::from(
        &mut command(&machines.data, &database, &port),
        &machines.data,
    )
    .await;
    browser
        .wait_until("document.getElementById('notice').hidden")
        .await;
    wait_for_state(&mut browser, "running").await;
    type_line(&mut browser, "say after the crash").await;
    wait_for_line(&mut browser, "> say after the crash").await;
    let lines = browser.evaluate(LINES).await;
    let lines = lines.as_str().unwrap();
    let count = |text: &str| lines.lines().filter(|line| *line == text).count();
    assert_eq!(count("> say before the crash"), 1, "{lines}");
    assert_eq!(count("> say after the crash"), 1, "{lines}");

    // A second click is needed to kill.
    power(&mut browser, "kill").await;
    browser.wait_for_text("Really kill?").await;
    assert_eq!(browser.evaluate(STATE).await, "running");
    power(&mut browser, "kill").await;
    wait_for_state(&mut browser, "stopped").await;

    // A ticket works once.
    browser.visit("about:blank").await;
    browser
        .visit(&format!("{page}#server=demo-game&ticket=used"))
        .await;
    browser.wait_for_text("This page needs a new link").await;
    assert_eq!(browser.complaints, Vec::<String>::new());
    up.process.stop().await;
}

/// Fills a field of a page without scripts.
async fn fill(browser: &mut Browser, field: &str, value: &str) {
    let element = format!("document.querySelector({field:?})");
    browser.wait_until(&format!("{element} !== null")).await;
    let fill = format!("{element}.value = {value:?}");
    browser.evaluate(&fill).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_without_scripts_reads_types_and_stops_by_forms() {
    let (machines, database) = (
        MachinesFolder::new().await,
        TestDatabase::empty().await.unwrap(),
    );
    let port = HeldPort::take().unwrap();
    let up = Up::from(
        &mut command(&machines.data, &database, &port),
        &machines.data,
    )
    .await;
    Customer::of(&up).until("game/demo-game", "running").await;
    let document = up.document();
    let key = document["demo"]["api_key"].as_str().unwrap();
    let mut browser = Browser::start().await;
    browser.disable_scripts().await;
    browser.visit(&format!("{}/console", up.hosting_url)).await;
    fill(&mut browser, "form.entry [name=server]", "demo-game").await;
    fill(&mut browser, "form.entry [name=credential]", key).await;
    browser.click("form.entry button").await;
    browser.wait_for_text("Ready for players").await;

    fill(&mut browser, "#line", "say <b>hello</b>").await;
    browser.click("#input button").await;
    browser.wait_for_text("> say <b>hello</b>").await;
    let page = browser.evaluate("document.documentElement.outerHTML").await;
    assert!(
        !page.as_str().unwrap().contains(key),
        "the key is not shown"
    );

    browser.click("#power button[value=stop]").await;
    browser
        .wait_for_text("The request to stop the server")
        .await;
    Customer::of(&up).until("game/demo-game", "stopped").await;
    browser.click("#power button[value=show]").await;
    browser
        .wait_until("document.querySelector('.state')?.textContent === 'stopped'")
        .await;
    assert_eq!(browser.complaints, Vec::<String>::new());
    up.process.stop().await;
}
