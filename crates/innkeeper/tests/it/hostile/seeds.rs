//! Requests of clients of both servers, and how they are spoilt.

use super::mutate::{Random, mutate};

pub(super) const SECRET: &str = "a-secret-of-more-than-thirty-two-bytes";

/// A token of [`SECRET`] with the role `service_role`, and nothing else.
const SERVICE_TOKEN: &str = concat!(
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.",
    "eyJyb2xlIjoic2VydmljZV9yb2xlIn0.",
    "Kcb3VngxP-xgcKNotrUtdJkqbn9BLCI4kkWQmMf-YHM"
);

/// Files of the hosting server.
pub(super) const CONTENT: [(&str, &str); 4] = [
    (
        "blog/hello.md",
        "---\ntitle: Hello\ndate: 2026-01-01\n---\nSome *text*.\n",
    ),
    ("kb/start.md", "---\ntitle: Start\n---\nFirst steps.\n"),
    ("images/a.png", "not really an image"),
    ("blog/images/b.png", "not really an image either"),
];

/// A request, in parts.
#[derive(Clone)]
pub(super) struct ApiRequest {
    method: &'static str,
    target: String,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

impl ApiRequest {
    fn new(method: &'static str, target: &str, body: &str) -> Self {
        let mut headers = Vec::new();
        if !body.is_empty() {
            headers.push(("Content-Type", "application/json".to_owned()));
        }
        Self {
            method,
            target: target.to_owned(),
            headers,
            body: body.as_bytes().to_vec(),
        }
    }

    fn get(target: &str) -> Self {
        Self::new("GET", target, "")
    }

    fn post(target: &str, body: &str) -> Self {
        Self::new("POST", target, body)
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn by_operator(self) -> Self {
        self.with("Authorization", &format!("Bearer {SERVICE_TOKEN}"))
    }

    /// Returns the request with a changed target, header or body, which is still valid HTTP.
    pub(super) fn spoilt(&self, random: &mut Random) -> Self {
        let mut spoilt = self.clone();
        let others: [&[u8]; 4] = [
            b"{\"email\":\"ada@example.com\",\"password\":\"correct horse battery\"}",
            b"[[[[[[[[{\"\\u0000\":-1e999}]]]]]]]]",
            b"../../../../etc/passwd' or 1=1 -- <script>",
            b"%00%0d%0a%ff\\x00\xf0\x9f\x92\xa5",
        ];
        match random.below(4) {
            0 if !spoilt.headers.is_empty() => {
                let at = random.below(spoilt.headers.len());
                let value = mutate(random, spoilt.headers[at].1.as_bytes(), &others);
                spoilt.headers[at].1 = visible(&value);
            }
            1 => {
                let target = mutate(random, spoilt.target.as_bytes(), &others);
                spoilt.target = format!("/{}", visible(&target).replace([' ', '#'], "%20"));
            }
            _ => spoilt.body = mutate(random, &spoilt.body, &others),
        }
        spoilt
    }

    /// Returns the bytes to send; the server closes the connection after them.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut lines = vec![
            format!("{} {} HTTP/1.1", self.method, self.target),
            "Host: localhost".to_owned(),
        ];
        let headers = self.headers.iter();
        lines.extend(headers.map(|(name, value)| format!("{name}: {value}")));
        lines.push("Connection: close".to_owned());
        lines.push(format!("Content-Length: {}\r\n\r\n", self.body.len()));
        [lines.join("\r\n").as_bytes(), &self.body].concat()
    }
}

/// Returns the visible ASCII characters and blanks of some bytes.
fn visible(bytes: &[u8]) -> String {
    let is_visible = |byte: &&u8| byte.is_ascii_graphic() || **byte == b' ';
    let visible = bytes.iter().filter(is_visible).take(2000);
    visible.map(|byte| char::from(*byte)).collect()
}

/// Requests to the auth server.
pub(super) fn auth() -> Vec<ApiRequest> {
    let (get, post) = (ApiRequest::get, ApiRequest::post);
    let user = "/admin/users/5f0c8a52-0f4a-4f5a-9d3a-2b7f6f1f3a11";
    let change =
        r#"{"email":"eve@example.com","user_metadata":{},"app_metadata":{},"ban_duration":"1h"}"#;
    vec![
        post(
            "/signup",
            r#"{"email":"ada@example.com","password":"correct horse battery","data":{"a":[1,null]}}"#,
        ),
        post(
            "/token?grant_type=password",
            r#"{"email":"ada@example.com","password":"wrong horse"}"#,
        ),
        post(
            "/token?grant_type=refresh_token",
            r#"{"refresh_token":"abcdefghijkl"}"#,
        ),
        post(
            "/token?grant_type=pkce",
            r#"{"auth_code":"5f0c8a52-0f4a-4f5a-9d3a-2b7f6f1f3a11","code_verifier":"abc"}"#,
        ),
        post(
            "/otp",
            r#"{"email":"bob@example.com","create_user":false}"#,
        ),
        post("/magiclink", r#"{"email":"bob@example.com"}"#),
        post("/recover", r#"{"email":"bob@example.com"}"#),
        post("/resend", r#"{"type":"signup","email":"bob@example.com"}"#),
        post(
            "/verify",
            r#"{"type":"signup","email":"bob@example.com","token":"123456"}"#,
        ),
        get("/verify?type=signup&token=abc&redirect_to=http://localhost:3000/in"),
        get("/settings").with("Origin", "https://inn.example"),
        get("/.well-known/jwks.json").with("If-None-Match", "\"a\", W/\"b\""),
        get("/user").with("Authorization", "Bearer a.b.c"),
        get("/health").with("X-Forwarded-For", "203.0.113.1, 192.0.2.1"),
        ApiRequest::new("PUT", "/user", r#"{"data":{"a":1}}"#).by_operator(),
        ApiRequest::new("OPTIONS", "/user", "")
            .with("Origin", "https://inn.example")
            .with("Access-Control-Request-Method", "PUT"),
        post("/logout?scope=global", "{}").by_operator(),
        get("/admin/users?page=1&per_page=10").by_operator(),
        get("/admin/audit?query=author:a").by_operator(),
        get("/admin/mail").by_operator(),
        get(user).by_operator(),
        post("/admin/users", change).by_operator(),
        ApiRequest::new("PUT", user, change).by_operator(),
        post(
            "/admin/generate_link",
            r#"{"type":"magiclink","email":"eve@example.com","redirect_to":"http://localhost:3000"}"#,
        )
        .by_operator(),
    ]
}

/// Requests to the hosting server.
pub(super) fn hosting() -> Vec<ApiRequest> {
    let (get, post) = (ApiRequest::get, ApiRequest::post);
    vec![
        get("/health?deep=1"),
        get("/v1/blog/list?sort=date&limit=5&category=a").with("Accept-Encoding", "gzip, br;q=0.5"),
        get("/v1/kb/list?cursor=abc"),
        get("/v1/blog/article?path=/blog/hello").with("If-None-Match", "\"a\""),
        get("/v1/kb/article?slug=start").with("Accept", "application/json;q=0.5, */*"),
        get("/v1/assets/images/a.png").with("Range", "bytes=0-3,5-6,-1"),
        get("/v1/assets/blog/images/b.png")
            .with("If-Range", "\"a\"")
            .with("Range", "bytes=0-"),
        get("/v1/blog/search?q=text"),
        get("/v1/plans?currency=EUR&locale=en"),
        get("/v1/status"),
        get("/v1/heo-status.js"),
        get("/v1/blog/feed.atom").with("If-Modified-Since", "Thu, 01 Jan 2026 00:00:00 GMT"),
        get("/v1/openapi.json"),
        get("/v1/docs"),
        get("/v1/hosting/key").with("Authorization", "Bearer ink_abcdef_0123456789"),
        post("/v1/hosting/game/power/x/start", "{}").with("Authorization", "Bearer ink_a_b"),
        post(
            "/v1/kb/feedback",
            r#"{"path":"/kb/start","helpful":true,"comment":"Good"}"#,
        )
        .with("Origin", "https://inn.example"),
        ApiRequest::new("OPTIONS", "/v1/kb/feedback", "")
            .with("Origin", "https://inn.example")
            .with("Access-Control-Request-Method", "POST"),
    ]
}
