//! A headless Chromium, driven by the `DevTools` protocol.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::{SinkExt as _, StreamExt as _};
use innkeeper_service::testing::eventually;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

/// The time-out of everything.
const TIMEOUT: Duration = Duration::from_mins(2);
/// The errors of an evaluation during a navigation.
const NAVIGATION_ERRORS: [&str; 4] = [
    "Inspected target navigated or closed",
    "Execution context was destroyed",
    "Cannot find default execution context",
    "Promise was collected",
];
/// Checks the page by all rules of axe, also by that for the size of targets, which is off unless asked for.
const VIOLATIONS: &str =
    "axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })
    .then(({ violations }) => violations.map(({ id, help, nodes }) =>
        `${id}: ${help}: ${nodes.map((node) => node.html + ' ' + node.failureSummary).join(' | ')}`))";

pub(crate) struct Browser {
    socket: WebSocketStream<TcpStream>,
    /// The session of the current page.
    session: String,
    calls: u64,
    /// Whether the scripts of pages run.
    has_scripts: bool,
    /// Exceptions, and violations of content security policies.
    pub(crate) complaints: Vec<String>,
    _process: Child,
    _folder: TempDir,
}

impl Browser {
    pub(crate) async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut process = Command::new("chromium")
            .args(["--headless", "--no-sandbox", "--disable-gpu"])
            .args(["--disable-dev-shm-usage", "--remote-debugging-port=0"])
            .arg(format!("--user-data-dir={}", folder.path().display()))
            // Where it leaves a folder when it is killed.
            .env("TMPDIR", folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap_or_else(|error| panic!("chromium, which `make test` installs: {error}"));
        let mut said = BufReader::new(process.stderr.take().unwrap()).lines();
        let address = loop {
            match said.next_line().await.unwrap() {
                Some(line) => {
                    if let Some(address) = line.strip_prefix("DevTools listening on ") {
                        break address.to_owned();
                    }
                }
                None => panic!("chromium ended"),
            }
        };
        // Keeps reading, because a full pipe would stop the browser.
        tokio::spawn(async move { while let Ok(Some(_)) = said.next_line().await {} });
        let host = address.trim_start_matches("ws://").split('/').next();
        let stream = TcpStream::connect(host.unwrap()).await.unwrap();
        let (socket, _) = tokio_tungstenite::client_async(&address, stream)
            .await
            .unwrap();
        let mut browser = Self {
            socket,
            session: String::new(),
            calls: 0,
            has_scripts: true,
            complaints: Vec::new(),
            _process: process,
            _folder: folder,
        };
        browser.open_tab().await;
        browser
    }

    async fn open_tab(&mut self) {
        let target = self
            .call("Target.createTarget", json!({"url": "about:blank"}))
            .await;
        self.attach(&target["targetId"]).await;
    }

    /// Waits for a new tab with this URL and switches to it.
    pub(crate) async fn switch_to_new_tab(&mut self, url: &str) {
        let target = eventually(format!("{url} is opened"), async || {
            let targets = self.call("Target.getTargets", json!({})).await;
            let targets = targets["targetInfos"].as_array().unwrap().clone();
            let is_match = |target: &&Value| target["type"] == "page" && is_at(&target["url"], url);
            let target = targets.iter().find(is_match).cloned();
            target.ok_or(targets)
        })
        .await;
        self.attach(&target["targetId"]).await;
    }

    /// Switches to another page.
    async fn attach(&mut self, target: &Value) {
        self.session.clear();
        let attach = json!({"targetId": target, "flatten": true});
        let attached = self.call("Target.attachToTarget", attach).await;
        attached["sessionId"]
            .as_str()
            .unwrap()
            .clone_into(&mut self.session);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            self.call(domain, json!({})).await;
        }
    }

    /// Calls one method of the protocol, which must succeed.
    async fn call(&mut self, method: &str, parameters: Value) -> Value {
        let answer = self.try_call(method, parameters).await;
        answer.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Calls one method of the protocol and returns its result or its error.
    async fn try_call(&mut self, method: &str, parameters: Value) -> Result<Value, String> {
        self.calls += 1;
        let id = self.calls;
        let mut call = json!({"id": id, "method": method, "params": parameters});
        if !self.session.is_empty() {
            call["sessionId"] = json!(self.session);
        }
        let message = Message::text(call.to_string());
        self.socket.send(message).await.unwrap();
        loop {
            let message = tokio::time::timeout(TIMEOUT, self.socket.next()).await;
            let message = message.unwrap_or_else(|_| panic!("no answer to {method}"));
            let Message::Text(text) = message.unwrap().unwrap() else {
                continue;
            };
            let said: Value = serde_json::from_str(&text).unwrap();
            if said["id"] == id && said["error"].is_null() {
                return Ok(said["result"].clone());
            }
            if said["id"] == id {
                return Err(said["error"].to_string());
            }
            self.note(&said);
        }
    }

    fn note(&mut self, said: &Value) {
        let is_complaint = match said["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Log.entryAdded") => said["params"]["entry"]["source"] == "security",
            _ => false,
        };
        if is_complaint {
            self.complaints.push(said["params"].to_string());
        }
    }

    /// Turns off the scripts of pages; those of tests still run.
    pub(crate) async fn disable_scripts(&mut self) {
        self.allow_scripts(false).await;
    }

    pub(crate) async fn allow_scripts(&mut self, is_allowed: bool) {
        self.has_scripts = is_allowed;
        let disabled = json!({"value": !is_allowed});
        self.call("Emulation.setScriptExecutionDisabled", disabled)
            .await;
    }

    /// Gives the browser an authenticator that answers at once: a part of the device, or a security key at its port.
    pub(crate) async fn add_authenticator(&mut self, is_key: bool) {
        self.call("WebAuthn.enable", json!({})).await;
        let options = json!({
            "protocol": "ctap2",
            "transport": if is_key { "usb" } else { "internal" },
            "hasResidentKey": !is_key,
            "hasUserVerification": !is_key,
            "isUserVerified": !is_key,
            "automaticPresenceSimulation": true,
        });
        let options = json!({ "options": options });
        self.call("WebAuthn.addVirtualAuthenticator", options).await;
    }

    /// Returns what axe finds on the page: rules for accessibility that it breaks, with the elements that do.
    pub(crate) async fn violations(&mut self) -> Value {
        let had_scripts = self.has_scripts;
        // The checks wait for callbacks, which count as scripts of the page.
        self.allow_scripts(true).await;
        let axe = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .with_file_name("clients")
            .join("node_modules/axe-core/axe.min.js");
        let axe = std::fs::read_to_string(&axe)
            .unwrap_or_else(|error| panic!("axe, which `scripts/clients` installs: {error}"));
        if self.evaluate("typeof axe").await != "object" {
            self.evaluate(&axe).await;
        }
        let found = self.evaluate(VIOLATIONS).await;
        self.allow_scripts(had_scripts).await;
        found
    }

    /// Runs a script on every page that is opened from now on, before those of the page.
    pub(crate) async fn run_first(&mut self, script: &str) {
        let source = json!({"source": script});
        self.call("Page.addScriptToEvaluateOnNewDocument", source)
            .await;
    }

    pub(crate) async fn visit(&mut self, url: &str) {
        self.call("Page.navigate", json!({"url": url})).await;
    }

    /// Evaluates a script; returns null if the page navigates meanwhile.
    pub(crate) async fn evaluate(&mut self, script: &str) -> Value {
        self.run_script(script, false).await
    }

    /// Evaluates a script, as if by a click or a key of the user if `is_user` is true.
    async fn run_script(&mut self, script: &str, is_user: bool) -> Value {
        let parameters = json!({
            "expression": script,
            "awaitPromise": true,
            "returnByValue": true,
            "userGesture": is_user,
        });
        match self.try_call("Runtime.evaluate", parameters).await {
            Ok(answer) => answer["result"]["value"].clone(),
            Err(error) if NAVIGATION_ERRORS.iter().any(|said| error.contains(said)) => Value::Null,
            Err(error) => panic!("{script}: {error}"),
        }
    }

    /// Evaluates a script until it is true.
    pub(crate) async fn wait_until(&mut self, script: &str) {
        eventually(script, async || {
            if self.evaluate(script).await == true {
                return Ok(());
            }
            let page = self.evaluate("document.body.innerText").await;
            Err((page, self.complaints.clone()))
        })
        .await;
    }

    /// Clicks the first element of a selector, once it is visible and enabled.
    pub(crate) async fn click(&mut self, selector: &str) {
        let element = format!("document.querySelector({selector:?})");
        self.wait_until(&format!(
            "Boolean({element}?.offsetParent && !{element}.disabled)"
        ))
        .await;
        // Browsers let nobody else open a tab.
        self.run_script(&format!("{element}.click()"), true).await;
    }

    pub(crate) async fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            "ArrowRight" => (39, ""),
            other => panic!("no such key: {other}"),
        };
        for kind in ["keyDown", "keyUp"] {
            let press = json!({
                "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text,
            });
            self.call("Input.dispatchKeyEvent", press).await;
        }
    }

    /// Sets the value of a field as if a person had typed it.
    pub(crate) async fn fill(&mut self, selector: &str, value: &str) {
        let element = format!("document.querySelector({selector:?})");
        self.wait_until(&format!("{element} !== null")).await;
        let value = json!(value);
        let fill = format!(
            "{element}.value = {value}; {element}.dispatchEvent(new Event('input', {{bubbles: true}}))"
        );
        self.evaluate(&fill).await;
    }

    /// Waits until a text is visible.
    pub(crate) async fn wait_for_text(&mut self, text: &str) {
        self.wait_until(&format!("document.body.innerText.includes({text:?})"))
            .await;
    }

    /// Emulates a screen of this width, and a light or dark colour scheme.
    pub(crate) async fn emulate(&mut self, width: u32, scheme: &str) {
        let size =
            json!({"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 600});
        self.call("Emulation.setDeviceMetricsOverride", size).await;
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}))
            .await;
        self.wait_for_paint().await;
    }

    /// Waits until all changes are painted.
    pub(crate) async fn wait_for_paint(&mut self) {
        if !self.has_scripts {
            // No callback of a page runs; a screenshot waits for a frame, too.
            self.call("Page.captureScreenshot", json!({})).await;
            return;
        }
        self.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
        )
        .await;
    }

    /// Saves a screenshot of the whole page.
    pub(crate) async fn screenshot(&mut self, path: &Path) {
        let options = json!({"captureBeyondViewport": true});
        let image = self.call("Page.captureScreenshot", options).await;
        let image = STANDARD.decode(image["data"].as_str().unwrap()).unwrap();
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, image).unwrap();
    }
}

/// Whether an address is this URL, apart from its fragment.
fn is_at(address: &Value, url: &str) -> bool {
    address.as_str().unwrap().split('#').next() == Some(url)
}
