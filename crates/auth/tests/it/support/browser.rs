//! A browser that follows redirects between a server, a provider and the site of an application.

use innkeeper_auth::config::Config;
use innkeeper_rest::Server;
use reqwest::header::{CONTENT_TYPE, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response};
use url::form_urlencoded;

use super::TestApp;
use super::github::Landing;
use super::mail_flows::without_pauses;
use super::provider_double::ProviderDouble;
use super::served::Served;

/// The site that users are sent back to; nobody serves it.
pub(crate) const SITE: &str = "http://localhost:3000";

/// A browser without cookies.
pub(crate) struct Browser(Client);

impl Browser {
    pub(crate) fn new() -> Self {
        let client = Client::builder().no_proxy().redirect(Policy::none());
        Self(client.build().unwrap())
    }

    /// Opens an address, and returns the answer to it alone.
    pub(crate) async fn open(&self, url: &str) -> Response {
        self.0.get(url).send().await.unwrap()
    }

    /// Opens an address, follows redirects, and submits forms, until it comes to the site.
    pub(crate) async fn follow(&self, url: &str) -> Landing {
        let mut request = self.0.get(url);
        for _ in 0..6 {
            let answer = request.send().await.unwrap();
            let status = answer.status().as_u16();
            let location = answer.headers().get(LOCATION);
            let location = location.map(|location| location.to_str().unwrap().to_owned());
            request = match location {
                Some(location) if location.starts_with(SITE) => {
                    return Landing::at(status, &location);
                }
                Some(location) => self.0.get(location),
                None => self.submit(&answer.text().await.unwrap()),
            };
        }
        panic!("{url} does not lead to the site");
    }

    /// Submits the form of a page that has nothing else.
    fn submit(&self, page: &str) -> RequestBuilder {
        let text = |value: &str| value.replace("&quot;", "\"");
        let mut inputs = page.split("<input ");
        let head = inputs.next().unwrap();
        let action = attribute(head, "action").unwrap_or_else(|| panic!("no form: {page}"));
        let fields = inputs.map(|input| {
            let [name, value] = ["name", "value"].map(|name| attribute(input, name).unwrap());
            (name, text(value))
        });
        let mut form = form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(fields);
        let request = self.0.post(action);
        request
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form.finish())
    }
}

fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = element.split_once(&format!("{name}=\""))?;
    rest.split('"').next()
}

/// Starts a server on a real port, with a provider in whose place a double is.
pub(crate) async fn serve_with(
    double: &ProviderDouble,
    change: impl FnOnce(&mut Config),
) -> Served {
    let server = Server::bind("127.0.0.1:0").unwrap();
    let callback = format!("http://{}/callback", server.address());
    let app = TestApp::with(|config| {
        without_pauses(config);
        change(config);
        double.configure(config, &callback);
    });
    Served::on(server, app.await)
}
