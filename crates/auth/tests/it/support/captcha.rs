//! A captcha service that records the requests it gets.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use innkeeper_auth::config::{CaptchaProvider, Config};
use innkeeper_rest::{App, Request, Response, RestApi, Server, Stop, resource};
use innkeeper_service::secret::Secret;
use serde_json::{Value, json};
use url::form_urlencoded;

/// The secret that the service accepts.
pub(crate) const SECRET: &str = "the secret & nothing else";

/// A captcha service on a real port. It accepts each token `good…` once.
pub(crate) struct CaptchaService {
    address: String,
    seen: Arc<Mutex<Vec<Asked>>>,
    stop: Stop,
}

/// A request to the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) response: String,
    pub(crate) address: String,
}

impl CaptchaService {
    pub(crate) fn start() -> Self {
        let server = Server::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", server.address());
        let (seen, stop) = (Arc::default(), Stop::new());
        let desk = Desk(Arc::clone(&seen));
        let routes = App::new().mount("/", RestApi::new(desk));
        tokio::spawn(server.stop_on(stop.clone()).serve(routes));
        Self {
            address,
            seen,
            stop,
        }
    }

    /// Configures a server to use this service.
    pub(crate) fn configure(&self, config: &mut Config, provider: CaptchaProvider) {
        let url = format!("{}/siteverify", self.address);
        configure(config, provider, &url);
    }

    /// Returns the requests since the last call.
    pub(crate) fn take(&self) -> Vec<Asked> {
        std::mem::take(&mut self.seen.lock().unwrap())
    }
}

impl Drop for CaptchaService {
    fn drop(&mut self) {
        self.stop.now();
    }
}

/// Configures a server to require a captcha.
pub(crate) fn configure(config: &mut Config, provider: CaptchaProvider, url: &str) {
    let captcha = &mut config.security.captcha;
    captcha.enabled = true;
    captcha.provider = provider;
    captcha.url = Some(url.parse().unwrap());
    captcha.secret = Some(Secret::new(SECRET.to_owned()));
}

struct Desk(Arc<Mutex<Vec<Asked>>>);

#[resource("/")]
impl Desk {
    #[post("/siteverify")]
    async fn judge(&self, #[request] request: &Request, #[body] body: Bytes) -> Response {
        let kind = request.head().header_text("content-type");
        assert_eq!(kind, Some("application/x-www-form-urlencoded"));
        let fields: Vec<(String, String)> = form_urlencoded::parse(&body).into_owned().collect();
        let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["secret", "response", "remoteip"]);
        let [secret, response, address] = [0, 1, 2].map(|index| fields[index].1.clone());
        let verdict = self.verdict(&secret, &response);
        self.0.lock().unwrap().push(Asked { response, address });
        // Both services have the same response format; one of them refuses with status 400.
        let status = if verdict["success"] == true { 200 } else { 400 };
        Response::status(status).entity(verdict)
    }

    /// A redirect, which must not be followed.
    #[post("/elsewhere")]
    async fn elsewhere(&self) -> Response {
        Response::status(307).header("location", "/siteverify")
    }

    /// An HTML page instead of JSON.
    #[post("/page")]
    async fn page(&self) -> Response {
        Response::status(502)
            .content_type("text/html")
            .body("<h1>Bad gateway</h1>")
    }

    /// A body above the size limit.
    #[post("/flood")]
    async fn flood(&self) -> Response {
        Response::ok().body(vec![b' '; 1024 * 1024])
    }
}

impl Desk {
    fn verdict(&self, secret: &str, response: &str) -> Value {
        if secret != SECRET {
            return json!({ "success": false, "error-codes": ["invalid-input-secret"] });
        }
        if !response.starts_with("good") {
            let codes = ["invalid-input-response", "<script>alert(1)</script>"];
            return json!({ "success": false, "error-codes": codes });
        }
        let seen = self.0.lock().unwrap();
        if seen.iter().any(|asked| asked.response == response) {
            return json!({ "success": false, "error-codes": ["timeout-or-duplicate"] });
        }
        json!({ "success": true, "hostname": "inn.example", "error-codes": [] })
    }
}
