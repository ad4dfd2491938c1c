//! The requests, and the responses that every server must send.

/// Requests sent in one write in a pipelined case.
const PIPELINE_DEPTH: usize = 16;

/// Headers that a browser behind a proxy typically adds.
const TEN_HEADERS: &str = "\
user-agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n\
accept: */*\r\n\
accept-encoding: gzip, deflate, br, zstd\r\n\
accept-language: en-GB,en;q=0.8,de;q=0.5\r\n\
cookie: session=0a1b2c3d4e5f60718293a4b5c6d7e8f9; theme=dark; consent=1\r\n\
referer: https://www.example.com/a/page/that/links/here?from=search\r\n\
x-request-id: 7c0e5c1e-51a5-4a2f-9d5a-2f1f0e6b8a11\r\n\
x-forwarded-for: 203.0.113.17, 198.51.100.4\r\n\
cache-control: no-cache\r\n\
dnt: 1\r\n";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    Plain,
    Headers,
    Pipelined,
}

/// One kind of request, sent over and over.
#[derive(Debug)]
pub(crate) struct Case {
    /// Its name in the report, such as `user+headers`.
    pub(crate) name: String,
    pub(crate) variant: Variant,
    /// One request as sent on the wire.
    pub(crate) request: Vec<u8>,
    /// How many are sent before the first response is read.
    pub(crate) depth: usize,
    /// The headers of the response, sorted, without `date`.
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: &'static str,
    /// The status line of the response.
    pub(crate) status: &'static str,
}

pub(crate) const OK: &str = "HTTP/1.1 200 OK";

impl Case {
    pub(crate) fn is_plain(&self) -> bool {
        self.variant == Variant::Plain
    }

    /// Returns the bytes of one write.
    pub(crate) fn batch(&self) -> Vec<u8> {
        self.request.repeat(self.depth)
    }
}

struct Route {
    name: &'static str,
    line: &'static str,
    entity: Option<&'static str>,
    content_type: &'static str,
    vary: bool,
    body: &'static str,
}

const ACCOUNT: &str = r#"{"id":7,"name":"Ada Lovelace","email":"ada@example.com","active":true}"#;

const ROUTES: [Route; 4] = [
    Route {
        name: "plaintext",
        line: "GET /plaintext HTTP/1.1",
        entity: None,
        content_type: "text/plain; charset=utf-8",
        vary: true,
        body: "Hello, World!",
    },
    Route {
        name: "user",
        line: "GET /users/12345 HTTP/1.1",
        entity: None,
        content_type: "application/json",
        vary: false,
        body: r#"{"id":12345,"name":"User 12345"}"#,
    },
    Route {
        name: "echo",
        line: "POST /users HTTP/1.1",
        entity: Some(ACCOUNT),
        content_type: "application/json",
        vary: false,
        body: ACCOUNT,
    },
    Route {
        name: "search",
        line: "GET /search?q=rust+http&page=3&tags=a,b HTTP/1.1",
        entity: None,
        content_type: "application/json",
        vary: false,
        body: r#"{"q":"rust http","page":3,"tags":["a","b"]}"#,
    },
];

/// Returns every route plain, then every route with headers, then every route pipelined.
pub(crate) fn all() -> Vec<Case> {
    [Variant::Plain, Variant::Headers, Variant::Pipelined]
        .into_iter()
        .flat_map(|variant| ROUTES.iter().map(move |route| case(route, variant)))
        .collect()
}

fn case(route: &Route, variant: Variant) -> Case {
    let (suffix, extra, depth) = match variant {
        Variant::Plain => ("", "", 1),
        Variant::Headers => ("+headers", TEN_HEADERS, 1),
        Variant::Pipelined => ("+pipelined", "", PIPELINE_DEPTH),
    };
    let mut headers = vec![
        ("cache-control", "no-cache".to_owned()),
        ("content-length", route.body.len().to_string()),
        ("content-type", route.content_type.to_owned()),
        ("x-content-type-options", "nosniff".to_owned()),
    ];
    if route.vary {
        headers.insert(3, ("vary", "accept".to_owned()));
    }
    Case {
        name: format!("{}{suffix}", route.name),
        variant,
        request: request(route, extra),
        depth,
        headers,
        body: route.body,
        status: OK,
    }
}

fn request(route: &Route, extra: &str) -> Vec<u8> {
    let line = route.line;
    let entity = route.entity.map_or_else(
        || "\r\n".to_owned(),
        |entity| {
            let length = entity.len();
            format!("content-type: application/json\r\ncontent-length: {length}\r\n\r\n{entity}")
        },
    );
    format!("{line}\r\nhost: 127.0.0.1\r\n{extra}{entity}").into_bytes()
}
