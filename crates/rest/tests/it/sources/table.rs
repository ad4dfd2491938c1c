//! One test per row of the documented table of sources.

use bytes::Bytes;
use innkeeper_rest::{
    Body, FromBody, Head, Method, Multipart, Rejection, Request, filter, resource,
};
use serde::{Deserialize, Serialize};

use super::client;

#[derive(Serialize, Deserialize)]
struct Note {
    text: String,
}

/// The number of bytes in a body: an entity that reads the body itself.
struct Size(u64);

impl FromBody for Size {
    async fn from_body(_: &Head, mut body: Body) -> Result<Self, Rejection> {
        let mut size = 0;
        while let Some(chunk) = body.next_chunk().await? {
            size += chunk.len() as u64;
        }
        Ok(Self(size))
    }
}

struct Sources;

#[resource("/from")]
#[filter(filter::before(|request| {
    request.values_mut().set(42_u64);
    request.values_mut().set_named("region", "north".to_owned());
    Ok(())
}))]
impl Sources {
    #[get("/param")]
    fn param(&self, #[param] word: String) -> String {
        word
    }

    #[get("/param-named")]
    fn param_named(&self, #[param("max-items")] limit: u32) -> u32 {
        limit
    }

    #[get("/param-spaced")]
    fn param_spaced(&self, #[param("first name")] name: &str) -> String {
        name.to_owned()
    }

    #[get("/value")]
    fn value(&self, #[value] number: u64) -> u64 {
        number
    }

    #[get("/value-named")]
    fn value_named(&self, #[value("region")] place: String) -> String {
        place
    }

    #[get("/header")]
    fn header(&self, #[header("X-Trace")] trace: &str) -> String {
        trace.to_owned()
    }

    #[post("/entity")]
    fn entity(&self, #[entity] note: Note) -> String {
        note.text
    }

    #[delete("/entity")]
    fn entity_on_delete(&self, #[entity] note: Note) -> String {
        note.text
    }

    #[post("/size")]
    fn size(&self, size: Size) -> u64 {
        size.0
    }

    #[post("/body")]
    fn body(&self, #[body] text: String) -> String {
        text
    }

    #[post("/body-borrowed")]
    async fn body_borrowed(&self, #[body] text: &str) -> String {
        text.to_owned()
    }

    #[post("/body-bytes")]
    fn body_bytes(&self, #[body] bytes: Bytes) -> Vec<u8> {
        bytes.to_vec()
    }

    #[post("/body-list")]
    fn body_list(&self, #[body] bytes: Vec<u8>) -> Vec<u8> {
        bytes
    }

    #[post("/stream")]
    async fn stream(&self, #[stream] mut body: Body) -> Result<Vec<usize>, Rejection> {
        let mut sizes = Vec::new();
        while let Some(chunk) = body.next_chunk().await? {
            sizes.push(chunk.len());
        }
        Ok(sizes)
    }

    #[post("/parts")]
    async fn parts(&self, #[stream] mut parts: Multipart) -> Result<Vec<String>, Rejection> {
        let mut names = Vec::new();
        while let Some(part) = parts.next_part().await? {
            names.push(part.name().unwrap_or_default().to_owned());
        }
        Ok(names)
    }

    #[get("/request/{id}")]
    fn request(&self, #[request] request: &Request, id: u8) -> String {
        let named = request.path_param("id").unwrap_or_default();
        format!("{} {} {named} {id}", request.method(), request.path())
    }

    #[post("/request")]
    async fn owned(&self, #[request] mut request: Request, #[param] tag: String) -> String {
        let body = request.take_body().read_all().await.unwrap();
        format!("{tag} {}", String::from_utf8_lossy(&body))
    }

    #[put("/request")]
    async fn whole(&self, #[request] mut request: Request) -> String {
        let body = request.take_body().read_all().await.unwrap();
        let head = request.head();
        let header = head.header_text("x-trace");
        let value = request.values().get::<u64>();
        format!(
            "{} {} {:?} {header:?} {value:?} {}",
            head.method(),
            head.path(),
            head.query(),
            String::from_utf8_lossy(&body)
        )
    }

    #[get("/cookie")]
    fn cookie(&self, #[cookie("sid")] session: String) -> String {
        session
    }
}

#[tokio::test]
async fn param_reads_the_request_parameter_of_its_name() {
    let response = client(Sources).get("/from/param?word=a%20b+c").send().await;
    assert_eq!(response.text(), "a b c");
}

#[tokio::test]
async fn param_with_a_name_reads_the_request_parameter_of_that_name() {
    let client = client(Sources);
    let response = client
        .get("/from/param-named?limit=9&max-items=5")
        .send()
        .await;
    assert_eq!(response.text(), "5");
    let escaped = client.get("/from/param-named?max%2Ditems=6").send().await;
    assert_eq!(escaped.text(), "6");
    for key in ["first+name", "first%20name", "%66irst+name"] {
        let target = format!("/from/param-spaced?{key}=Ada");
        assert_eq!(client.get(target).send().await.text(), "Ada", "{key}");
    }
}

#[tokio::test]
async fn value_reads_what_a_filter_has_set() {
    let client = client(Sources);
    assert_eq!(client.get("/from/value").send().await.text(), "42");
    assert_eq!(client.get("/from/value-named").send().await.text(), "north");
}

#[tokio::test]
async fn header_reads_the_request_header_whatever_its_case() {
    let client = client(Sources);
    let request = client.get("/from/header").header("x-tRaCe", "abc def");
    assert_eq!(request.send().await.text(), "abc def");
}

#[tokio::test]
async fn entity_is_the_deserialized_body() {
    let client = client(Sources);
    let note = Note {
        text: "milk".into(),
    };
    let posted = client.post("/from/entity").json(&note).send().await;
    assert_eq!(posted.text(), "milk");
    let deleted = client.delete("/from/entity").json(&note).send().await;
    assert_eq!(deleted.text(), "milk");
}

#[tokio::test]
async fn an_entity_may_take_the_body_itself() {
    let client = client(Sources);
    let request = client.post("/from/size").header("content-type", "x/y");
    assert_eq!(request.body("12345").send().await.text(), "5");
}

#[tokio::test]
async fn body_is_the_body_as_a_string_whatever_its_type() {
    let client = client(Sources);
    for path in ["/from/body", "/from/body-borrowed"] {
        let request = client.post(path).header("content-type", "application/xml");
        assert_eq!(request.body("<ü/>").send().await.text(), "<ü/>");
    }
    for path in ["/from/body-bytes", "/from/body-list"] {
        let response = client.post(path).body(vec![0, 255]).send().await;
        assert_eq!(response.text(), "[0,255]");
    }
    let empty = client.post("/from/body").send().await;
    assert_eq!((empty.status(), empty.text()), (200, String::new()));
}

#[tokio::test]
async fn stream_is_the_body_chunk_by_chunk() {
    let chunks = ["one", "three", ""].map(|chunk| Ok(Bytes::from(chunk)));
    let body = Body::from_stream(futures_util::stream::iter(chunks));
    let response = client(Sources).post("/from/stream").body(body).send().await;
    assert_eq!(response.text(), "[3,5,0]");
}

#[tokio::test]
async fn stream_may_be_taken_part_by_part() {
    let body = "--x\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\n1\r\n\
                --x\r\ncontent-disposition: form-data; name=\"b\"\r\n\r\n2\r\n--x--\r\n";
    let client = client(Sources);
    let request = client
        .post("/from/parts")
        .header("content-type", "multipart/form-data; boundary=x")
        .body(body);
    assert_eq!(request.send().await.text(), r#"["a","b"]"#);
}

#[tokio::test]
async fn request_is_the_complete_request() {
    let client = client(Sources);
    let borrowed = client.get("/from/request/7").send().await;
    assert_eq!(borrowed.text(), "GET /from/request/7 7 7");
    let owned = client
        .request(Method::POST, "/from/request?tag=t")
        .body("whole");
    assert_eq!(owned.send().await.text(), "t whole");
    let whole = client.put("/from/request?a=b").header("x-trace", "t");
    assert_eq!(
        whole.body("body").send().await.text(),
        r#"PUT /from/request Some("a=b") Some("t") Some(42) body"#
    );
}

#[tokio::test]
async fn cookie_reads_the_cookie_of_that_name() {
    let client = client(Sources);
    for (cookies, expected) in [
        ("sid=abc", "abc"),
        ("a=1; sid=abc; b=2", "abc"),
        ("a=1;sid=a=b", "a=b"),
        ("sid=\"quoted\"", "quoted"),
        ("sid=", ""),
        ("sid=first; sid=second", "first"),
    ] {
        let response = client.get("/from/cookie").header("cookie", cookies);
        assert_eq!(response.send().await.text(), expected, "{cookies}");
    }
    let several = client
        .get("/from/cookie")
        .header("cookie", "a=1")
        .header("cookie", "sid=there");
    assert_eq!(several.send().await.text(), "there");
}
