//! A browser without scripts that keeps cookies, for the pages of the server.

use std::collections::BTreeMap;

use innkeeper_auth::config::Config;
use innkeeper_rest::Server;
use reqwest::header::{CONTENT_TYPE, COOKIE, HeaderMap, LOCATION, SET_COOKIE, USER_AGENT};
use reqwest::redirect::Policy;
use reqwest::{Client, Method};
use serde_json::{Value, json};
use url::{Url, form_urlencoded};

use super::TestApp;
use super::mail_flows::without_pauses;
use super::served::Served;

/// Starts a server with pages on a real port, which is its own site.
pub(crate) async fn serve_pages(change: impl FnOnce(&mut Config)) -> Served {
    let server = Server::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", server.address());
    let app = TestApp::with(|config| {
        config.pages.enabled = true;
        config.api.external_url = url.parse().unwrap();
        config.site_url = url.parse().unwrap();
        config.site_url_as_written.clone_from(&url);
        without_pauses(config);
        change(config);
    });
    Served::on(server, app.await)
}

/// A person with a browser.
pub(crate) struct Visitor {
    client: Client,
    base: Url,
    pub(crate) cookies: BTreeMap<String, String>,
    pub(crate) language: &'static str,
    pub(crate) agent: String,
}

/// A page as the browser has got it.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) status: u16,
    /// The path and the query of the page, after redirects; the whole address if it is of another server.
    pub(crate) address: String,
    pub(crate) html: String,
    pub(crate) headers: HeaderMap,
}

impl Visitor {
    pub(crate) fn of(served: &Served) -> Self {
        let client = Client::builder().no_proxy().redirect(Policy::none());
        Self {
            client: client.build().unwrap(),
            base: served.url.parse().unwrap(),
            cookies: BTreeMap::new(),
            language: "en",
            agent: "Visitor/1.0".to_owned(),
        }
    }

    /// Opens an address and follows redirects.
    pub(crate) async fn open(&mut self, address: &str) -> Shown {
        self.request(Method::GET, address, None).await
    }

    /// Sends the form with this target, with its hidden fields and these, and follows redirects.
    pub(crate) async fn send(
        &mut self,
        page: &Shown,
        target: &str,
        fields: &[(&str, &str)],
    ) -> Shown {
        let mut all = page.hidden_fields(target);
        all.retain(|(name, _)| fields.iter().all(|(given, _)| given != name));
        all.extend(
            fields
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        );
        self.post(target, &all).await
    }

    /// Presses the button of the page that a link opens.
    pub(crate) async fn press(&mut self, page: &Shown) -> Shown {
        let (_, form) = page.html.split_once("<form ").expect("a form");
        let action = attribute(form, "action").unwrap();
        self.send(page, &action, &[]).await
    }

    /// Sends a form, as if no page had been there.
    pub(crate) async fn post(&mut self, target: &str, fields: &[(String, String)]) -> Shown {
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(fields);
        self.request(Method::POST, target, Some(form.finish()))
            .await
    }

    async fn request(&mut self, method: Method, address: &str, form: Option<String>) -> Shown {
        let mut url = self.base.join(address).unwrap();
        let (mut method, mut form) = (method, form);
        for _ in 0..8 {
            let answer = self.exchange(&method, &url, form.take()).await;
            let location = answer.headers.get(LOCATION);
            let location = location.map(|it| it.to_str().unwrap().to_owned());
            let Some(location) = location.filter(|_| answer.status < 400) else {
                return answer;
            };
            url = url.join(&location).unwrap();
            if url.origin() != self.base.origin() {
                return Shown {
                    address: url.to_string(),
                    ..answer
                };
            }
            method = Method::GET;
        }
        panic!("{address} redirects for ever");
    }

    /// Sends one request, and keeps the cookies of the answer.
    async fn exchange(&mut self, method: &Method, url: &Url, form: Option<String>) -> Shown {
        let cookies = self.cookies.iter();
        let cookies: Vec<String> = cookies
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let mut request = self
            .client
            .request(method.clone(), url.clone())
            .header("accept-language", self.language)
            .header(USER_AGENT, &self.agent);
        if !cookies.is_empty() {
            request = request.header(COOKIE, cookies.join("; "));
        }
        if let Some(form) = form {
            let kind = "application/x-www-form-urlencoded";
            request = request.header(CONTENT_TYPE, kind).body(form);
        }
        let answer = request.send().await.unwrap();
        for cookie in answer.headers().get_all(SET_COOKIE) {
            let cookie = cookie.to_str().unwrap();
            let (pair, rest) = cookie.split_once(';').unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            if rest.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let query = url
            .query()
            .map(|query| format!("?{query}"))
            .unwrap_or_default();
        Shown {
            status,
            address: format!("{}{query}", url.path()),
            html: answer.text().await.unwrap(),
            headers,
        }
    }

    /// Signs in with a password.
    pub(crate) async fn sign_in(&mut self, email: &str, password: &str) -> Shown {
        let page = self.open("/account/sign-in").await;
        let fields = [("email", email), ("password", password)];
        self.send(&page, "/account/sign-in", &fields).await
    }
}

impl Shown {
    /// Returns the hidden fields of the form that is sent to this target, by itself, by one of its buttons, or by the
    /// script that gets a challenge.
    fn hidden_fields(&self, target: &str) -> Vec<(String, String)> {
        let forms = self.html.split("<form ").skip(1);
        let mut forms = forms.map(|form| form.split("</form>").next().unwrap());
        let form = forms.find(|form| {
            let is_target = |name: &str| {
                let mut elements = form.split('<');
                elements.any(|it| attribute(it, name).is_some_and(|action| action == target))
            };
            ["action", "formaction", "data-options"]
                .into_iter()
                .any(is_target)
        });
        let form = form.unwrap_or_else(|| panic!("no form to {target}: {}", self.html));
        let inputs = form.split("<input ").skip(1);
        inputs
            .filter(|input| attribute(input, "type").as_deref() == Some("hidden"))
            .map(|input| {
                let [name, value] = ["name", "value"].map(|it| attribute(input, it).unwrap());
                (name, value)
            })
            .collect()
    }

    /// Returns the texts of the page, without its markup.
    pub(crate) fn text(&self) -> String {
        let (_, body) = self.html.split_once("<body>").unwrap_or(("", &self.html));
        let parts = body.split('<').map(|part| match part.split_once('>') {
            Some((_, text)) => unescaped(text),
            None => unescaped(part),
        });
        parts
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Asserts where the visitor is, and that the page says this.
    #[track_caller]
    pub(crate) fn shows(&self, address: &str, text: &str) -> &Self {
        assert_eq!(self.address, address, "{}", self.text());
        assert!(self.text().contains(text), "{text:?} in {}", self.text());
        self
    }

    /// Asserts the status and that the page says this.
    #[track_caller]
    pub(crate) fn refuses(&self, status: u16, text: &str) -> &Self {
        assert_eq!(self.status, status, "{}", self.text());
        assert!(self.html.contains("role=\"alert\""), "{}", self.html);
        assert!(self.text().contains(text), "{text:?} in {}", self.text());
        self
    }

    /// Returns the value of a field.
    pub(crate) fn field(&self, name: &str) -> Option<String> {
        let mut inputs = self.html.split("<input ").skip(1);
        let input = inputs.find(|input| attribute(input, "name").as_deref() == Some(name))?;
        attribute(input, "value")
    }
}

/// Returns the value of an attribute of the first element of a text.
fn attribute(element: &str, name: &str) -> Option<String> {
    let tag = element.split('>').next()?;
    let tag = format!(" {tag}");
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next().map(unescaped)
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
        .trim()
        .to_owned()
}

impl TestApp {
    /// Returns the sessions of a user, as operators see them.
    pub(crate) async fn sessions_of(&self, user: &Value) -> Vec<Value> {
        let target = format!("/admin/users/{}/sessions", user["id"].as_str().unwrap());
        let list = self.get_as(&self.service_key(), &target).await.ok();
        list["sessions"].as_array().unwrap().clone()
    }

    /// Asserts that a password is the right one, or a wrong one.
    pub(crate) async fn assert_password(&self, email: &str, password: &str, is_right: bool) {
        let body = json!({ "email": email, "password": password });
        let answer = self.post("/token?grant_type=password", body).await;
        assert_eq!(
            answer.status,
            if is_right { 200 } else { 400 },
            "{}",
            answer.text
        );
    }
}
