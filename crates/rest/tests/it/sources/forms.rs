//! `#[param]` where the request has a body: the query, then the fields of a form.

use innkeeper_rest::testing::TestResponse;
use innkeeper_rest::{Body, Rejection, resource};

use super::{assert_malformed, assert_missing, assert_problem, client};

struct Forms;

#[resource("/forms")]
impl Forms {
    #[post]
    #[put]
    #[patch]
    fn fields(
        &self,
        #[param] name: String,
        #[param(default = 1)] count: u32,
        #[param] tag: Vec<String>,
        #[param] note: Option<String>,
    ) -> String {
        format!("{name} {count} {tag:?} {note:?}")
    }

    #[post("/entity")]
    fn beside_entity(&self, #[param] name: String, entity: serde_json::Value) -> String {
        format!("{name} {entity}")
    }

    #[post("/body")]
    fn beside_body(&self, #[param] name: String, #[body] text: String) -> String {
        format!("{name} {text}")
    }

    #[post("/stream")]
    async fn beside_stream(
        &self,
        #[param] name: String,
        #[stream] body: Body,
    ) -> Result<String, Rejection> {
        Ok(format!("{name} {}", body.read_all().await?.len()))
    }

    #[delete]
    fn delete(&self, name: Option<String>) -> String {
        format!("{name:?}")
    }
}

const MULTIPART: &str = "multipart/form-data; boundary=b";

fn part(name: &str, text: &str) -> String {
    format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
}

async fn multipart(body: String) -> TestResponse {
    let client = client(Forms);
    let request = client.post("/forms").header("content-type", MULTIPART);
    request.body(body).send().await
}

#[tokio::test]
async fn param_reads_the_query_of_a_post() {
    let client = client(Forms);
    let response = client
        .post("/forms?name=q&count=2&tag=a&tag=b")
        .send()
        .await;
    assert_eq!(response.text(), r#"q 2 ["a", "b"] None"#);
    // A body that is not a form is ignored.
    let json = client.post("/forms?name=q").json(&1).send().await;
    assert_eq!(json.text(), "q 1 [] None");
}

#[tokio::test]
async fn param_reads_the_fields_of_an_urlencoded_form() {
    let client = client(Forms);
    let form = "name=a+b%26c&tag=x&tag=y&note=";
    for request in [
        client.post("/forms"),
        client.put("/forms"),
        client.request(innkeeper_rest::Method::PATCH, "/forms"),
    ] {
        let response = request.form(form).send().await;
        assert_eq!(response.text(), r#"a b&c 1 ["x", "y"] Some("")"#);
    }
}

#[tokio::test]
async fn param_reads_the_text_fields_of_a_multipart_form() {
    let file = "--b\r\ncontent-disposition: form-data; name=\"name\"; filename=\"f\"\r\n\r\nno\r\n";
    let body = [file, &part("name", "m"), &part("tag", "ü"), "--b--\r\n"].concat();
    let response = multipart(body).await;
    assert_eq!(response.text(), r#"m 1 ["ü"] None"#);
}

#[tokio::test]
async fn fields_with_brackets_fill_a_list() {
    let client = client(Forms);
    let form = client.post("/forms").form("name=a&tag[]=x&tag%5B%5D=y");
    assert_eq!(form.send().await.text(), r#"a 1 ["x", "y"] None"#);
    let body = [&part("name", "m"), &part("tag[]", "x"), "--b--\r\n"].concat();
    assert_eq!(multipart(body).await.text(), r#"m 1 ["x"] None"#);
    let refused = client.post("/forms").form("name[]=a").send().await;
    let problem = "parameter `name`: expected one value, found a list";
    assert_malformed(&refused, "name", problem);
}

#[tokio::test]
async fn the_query_comes_before_the_form() {
    let client = client(Forms);
    let response = client
        .post("/forms?name=query&tag=q")
        .form("name=form&tag=f&count=3")
        .send()
        .await;
    assert_eq!(response.text(), r#"query 3 ["q"] None"#);
}

#[tokio::test]
async fn a_form_is_an_entity_where_one_is_taken() {
    let client = client(Forms);
    let form = client.post("/forms/entity").form("name=form").send().await;
    assert_missing(&form, "parameter", "name");
    let both = client
        .post("/forms/entity?name=query")
        .form("name=form")
        .send()
        .await;
    assert_eq!(both.text(), r#"query {"name":"form"}"#);
    let body = client
        .post("/forms/body?name=q")
        .form("name=f")
        .send()
        .await;
    assert_eq!(body.text(), "q name=f");
    let body = client.post("/forms/body").form("name=f").send().await;
    assert_missing(&body, "parameter", "name");
    let stream = client
        .post("/forms/stream?name=q")
        .form("name=f")
        .send()
        .await;
    assert_eq!(stream.text(), "q 6");
    let stream = client.post("/forms/stream").form("name=f").send().await;
    assert_missing(&stream, "parameter", "name");
}

#[tokio::test]
async fn a_verb_without_body_reads_no_form() {
    let response = client(Forms)
        .delete("/forms")
        .form("name=form")
        .send()
        .await;
    assert_eq!(response.text(), "None");
}

#[tokio::test]
async fn form_fields_are_checked_as_parameters_are() {
    let client = client(Forms);
    let missing = client.post("/forms").form("count=1").send().await;
    assert_missing(&missing, "parameter", "name");
    let malformed = client.post("/forms").form("name=a&count=").send().await;
    assert_malformed(
        &malformed,
        "count",
        "parameter `count`: expected a whole number between 0 and 4294967295",
    );
    let twice = client.post("/forms").form("name=a&name=b").send().await;
    assert_malformed(
        &twice,
        "name",
        "parameter `name`: expected one value, found several",
    );
    let broken = client.post("/forms").form("name=%zz").send().await;
    assert_problem(
        &broken,
        400,
        "malformed_body",
        "malformed form: expected two hexadecimal digits after `%`",
    );
    let response = multipart(part("name", "a") + &part("name", "b") + "--b--").await;
    assert_malformed(
        &response,
        "name",
        "parameter `name`: expected one value, found several",
    );
}
