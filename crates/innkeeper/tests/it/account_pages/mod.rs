//! The account pages of the auth server, in a browser whose pages run no scripts, except where an authenticator is asked.
//! Each story ends in a state that the API confirms.

mod account;
mod factors;
mod links;
mod looks;
mod passkeys;
mod sign_up;

use innkeeper_service::testing::TestDatabase;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::browser::Browser;
use crate::support::{Up, folder};
use crate::tour::{FITS, NAMED, screenshots};

/// The user of the stories.
const ADA: &str = "ada@example.com";
const PASSWORD: &str = "correct-horse-9";

/// Marks the page that is open.
const MARK: &str = "window.isEarlierPage = true";
const IS_OTHER_PAGE: &str = "!window.isEarlierPage && document.readyState === 'complete'";

/// A running server, a browser, and what keeps them alive.
struct Story {
    up: Up,
    browser: Browser,
    _folder: TempDir,
    _database: TestDatabase,
}

impl Story {
    async fn begin(settings: &[(&str, &str)]) -> Self {
        let (database, folder) = (TestDatabase::empty().await.unwrap(), folder());
        let data = folder.path().join("inn");
        let mut command = Up::command(&data);
        command
            .env("DATABASE_URL", database.url())
            .envs(settings.iter().copied());
        let up = Up::from(&mut command, &data).await;
        let mut browser = Browser::start().await;
        browser.disable_scripts().await;
        Self {
            up,
            browser,
            _folder: folder,
            _database: database,
        }
    }

    /// Begins with a user whose address is confirmed.
    async fn with_user(settings: &[(&str, &str)]) -> Self {
        let story = Self::begin(settings).await;
        let body = json!({ "email": ADA, "password": PASSWORD, "email_confirm": true });
        story
            .admin(reqwest::Method::POST, "/admin/users", Some(body))
            .await;
        story
    }

    /// Calls the API as an operator.
    async fn admin(&self, method: reqwest::Method, path: &str, body: Option<Value>) -> Value {
        let token = self.up.document()["service_role_token"]
            .as_str()
            .unwrap()
            .to_owned();
        let request = reqwest::Client::new().request(method, format!("{}{path}", self.up.url));
        let request = request.bearer_auth(token);
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        let answer = request.send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json().await.unwrap()
    }

    /// Returns the only user, as the API shows it.
    async fn user(&self) -> Value {
        let list = self.admin(reqwest::Method::GET, "/admin/users", None).await;
        assert_eq!(list["users"].as_array().unwrap().len(), 1, "{list}");
        list["users"][0].clone()
    }

    /// Returns the sessions of the only user, as the API shows them.
    async fn sessions(&self) -> Vec<Value> {
        let id = self.user().await["id"].as_str().unwrap().to_owned();
        let path = format!("/admin/users/{id}/sessions");
        let list = self.admin(reqwest::Method::GET, &path, None).await;
        list["sessions"].as_array().unwrap().clone()
    }

    async fn open(&mut self, page: &str) {
        let url = format!("{}/account{page}", self.up.url);
        self.browser.evaluate(MARK).await;
        self.browser.visit(&url).await;
        self.browser.wait_until(IS_OTHER_PAGE).await;
    }

    /// Follows a link, and waits for the page: the one before may have fields of the same names.
    async fn follow(&mut self, link: &str) {
        self.browser.evaluate(MARK).await;
        self.browser.click(&format!("a[href='{link}']")).await;
        self.browser.wait_until(IS_OTHER_PAGE).await;
    }

    /// Types into a field, once it is there.
    async fn fill(&mut self, field: &str, value: &str) {
        let element = format!("document.querySelector('main #{field}')");
        self.browser
            .wait_until(&format!("{element} !== null"))
            .await;
        self.browser
            .evaluate(&format!("{element}.value = {value:?}"))
            .await;
    }

    /// Presses the button of the form with this target.
    async fn send(&mut self, target: &str) {
        let button = format!("form[action='/account{target}'] button");
        self.browser.click(&button).await;
    }

    async fn see(&mut self, text: &str) {
        self.browser.wait_for_text(text).await;
    }

    async fn sign_in(&mut self, email: &str, password: &str) {
        self.open("/sign-in").await;
        self.fill("email", email).await;
        self.fill("password", password).await;
        self.send("/sign-in").await;
        self.see("You are signed in as").await;
    }

    /// Checks the page on wide and narrow screens in both colour schemes, and saves what it looks like.
    async fn check_page(&mut self, name: &str) {
        for (width, scheme) in [
            (1280, "light"),
            (1280, "dark"),
            (360, "light"),
            (360, "dark"),
        ] {
            self.browser.emulate(width, scheme).await;
            let name = format!("account-{name}-{width}-{scheme}.png");
            self.browser.screenshot(&screenshots().join(&name)).await;
            assert_eq!(self.browser.evaluate(FITS).await, true, "{name}");
            assert_eq!(self.browser.evaluate(NAMED).await, json!([]), "{name}");
            assert_eq!(self.browser.violations().await, json!([]), "{name}");
        }
    }

    async fn end(self) {
        assert_eq!(self.browser.complaints, Vec::<String>::new());
        self.up.process.stop().await;
    }
}
