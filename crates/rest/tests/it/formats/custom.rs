//! Custom formats, read and written.

use innkeeper_rest::testing::Client;
use innkeeper_rest::{
    App, ErasedDeserializer, ErasedEntity, Format, Invalid, Response, RestApi, Value, resource,
};
use serde::{Deserialize, Serialize};

use crate::sources::assert_problem;

/// Comma-separated values: a line of names, then a line per record.
struct Csv;

impl Format for Csv {
    fn media_type(&self) -> &'static str {
        "text/csv"
    }

    fn content_type(&self) -> &'static str {
        "text/csv; charset=utf-8"
    }

    fn write(&self, entity: &dyn ErasedEntity, out: &mut Vec<u8>) -> Result<(), Invalid> {
        let value = serde_json::to_value(entity).map_err(Invalid::because)?;
        let records = value
            .as_array()
            .ok_or_else(|| Invalid::expected("a list"))?;
        for (index, record) in records.iter().enumerate() {
            let record = record
                .as_object()
                .ok_or_else(|| Invalid::expected("records"))?;
            if index == 0 {
                let names: Vec<&str> = record.keys().map(String::as_str).collect();
                out.extend_from_slice(names.join(",").as_bytes());
            }
            let cell = |value: &Value| value.as_str().map_or_else(|| value.to_string(), Into::into);
            let cells: Vec<String> = record.values().map(cell).collect();
            out.extend_from_slice(format!("\n{}", cells.join(",")).as_bytes());
        }
        Ok(())
    }

    fn reads(&self) -> bool {
        true
    }

    fn read<'de>(
        &self,
        bytes: &'de [u8],
    ) -> Result<Box<dyn ErasedDeserializer<'de> + 'de>, Invalid> {
        let text = str::from_utf8(bytes).map_err(|_| Invalid::expected("UTF-8"))?;
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
        let mut records = Vec::new();
        for line in lines {
            let cells: Vec<&str> = line.split(',').collect();
            if cells.len() != names.len() {
                return Err(Invalid::expected(format_args!(
                    "{} cells in a line",
                    names.len()
                )));
            }
            let cell = |text: &str| match text.parse::<u64>() {
                Ok(number) => number.into(),
                Err(_) => Value::from(text),
            };
            let record = names
                .iter()
                .zip(cells)
                .map(|(name, text)| ((*name).to_owned(), cell(text)));
            records.push(Value::Object(record.collect()));
        }
        Ok(Box::new(<dyn ErasedDeserializer>::erase(Value::Array(
            records,
        ))))
    }
}

/// A write-only format that fails for values other than text.
struct Shouting;

impl Format for Shouting {
    fn media_type(&self) -> &'static str {
        "text/x-shout"
    }

    fn write(&self, entity: &dyn ErasedEntity, out: &mut Vec<u8>) -> Result<(), Invalid> {
        let value = serde_json::to_value(entity).map_err(Invalid::because)?;
        let text = value.as_str().ok_or_else(|| Invalid::expected("text"))?;
        out.extend_from_slice(text.to_uppercase().as_bytes());
        Ok(())
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct User {
    id: u32,
    name: String,
}

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    fn list(&self) -> Vec<User> {
        ["Ada", "Bo"]
            .iter()
            .zip(1..)
            .map(|(name, id)| User {
                id,
                name: (*name).into(),
            })
            .collect()
    }

    #[post]
    fn add(&self, users: Vec<User>) -> Response {
        Response::created().entity(users)
    }

    #[put]
    #[consumes("text/csv")]
    #[produces("text/csv")]
    fn replace(&self, users: Vec<User>) -> Vec<User> {
        users
    }

    #[get("/greeting")]
    fn greeting(&self) -> &'static str {
        "hello"
    }

    #[get("/refused")]
    fn refused(&self) -> Result<Vec<User>, Response> {
        Err(Response::not_found_with("no users"))
    }
}

fn client() -> Client {
    let api = RestApi::new(Users).register(Csv).register(Shouting);
    Client::new(App::new().mount("/", api)).unwrap()
}

const CSV: &str = "id,name\n1,Ada\n2,Bo";

#[tokio::test]
async fn a_registered_format_is_written_when_accepted() {
    let client = client();
    let response = client
        .get("/users")
        .header("accept", "text/csv")
        .send()
        .await;
    assert_eq!(response.text(), CSV);
    assert_eq!(
        response.header("content-type"),
        Some("text/csv; charset=utf-8")
    );
    assert_eq!(response.header("vary"), Some("accept"));
    let json = client.get("/users").send().await;
    assert_eq!(json.header("content-type"), Some("application/json"));
    assert_eq!(json.header("vary"), Some("accept"));
    let better = client
        .get("/users")
        .header("accept", "application/json;q=0.5, text/*");
    assert_eq!(better.send().await.text(), CSV);
}

#[tokio::test]
async fn a_registered_format_is_read_by_its_content_type() {
    let client = client();
    for content_type in ["text/csv", "Text/CSV; header=present"] {
        let request = client.post("/users").header("content-type", content_type);
        let response = request.body(CSV).send().await;
        assert_eq!(response.status(), 201);
        assert_eq!(
            response.text(),
            r#"[{"id":1,"name":"Ada"},{"id":2,"name":"Bo"}]"#
        );
    }
    let both = client
        .post("/users")
        .header("content-type", "text/csv")
        .header("accept", "text/csv");
    assert_eq!(both.body(CSV).send().await.text(), CSV);
}

#[tokio::test]
async fn what_a_registered_format_cannot_read_is_malformed() {
    let client = client();
    let post = |body: &'static str| {
        client
            .post("/users")
            .header("content-type", "text/csv")
            .body(body)
    };
    let malformed = post("id,name\n1").send().await;
    assert_problem(
        &malformed,
        400,
        "malformed_body",
        "expected 2 cells in a line",
    );
    let shape = post("id,name\n1,Ada\nx,Bo").send().await;
    assert_eq!(shape.status(), 422);
    assert_eq!(
        shape.json::<Value>().unwrap()["errors"][0]["pointer"],
        "/1/id"
    );
}

#[tokio::test]
async fn a_format_that_does_not_read_is_unsupported() {
    let client = client();
    let request = client.post("/users").header("content-type", "text/x-shout");
    let response = request.body("HI").send().await;
    assert_problem(
        &response,
        415,
        "unsupported_media_type",
        "content type `text/x-shout` is not supported; send application/json, \
         application/x-www-form-urlencoded, multipart/form-data, text/plain, \
         application/octet-stream, text/csv",
    );
}

#[tokio::test]
async fn text_goes_through_a_registered_format_when_asked_for() {
    let client = client();
    let request = client
        .get("/users/greeting")
        .header("accept", "text/x-shout");
    assert_eq!(request.send().await.text(), "HELLO");
    let plain = client.get("/users/greeting").send().await;
    assert_eq!(plain.text(), "hello");
}

#[tokio::test]
async fn a_format_that_fails_to_write_is_an_internal_error() {
    let client = client();
    let request = client.get("/users").header("accept", "text/x-shout");
    let response = request.send().await;
    assert_problem(&response, 500, "internal_error", "internal server error");
}

#[tokio::test]
async fn errors_are_not_written_in_a_registered_format() {
    let client = client();
    let request = client.get("/users/refused").header("accept", "text/csv");
    let response = request.send().await;
    assert_problem(&response, 404, "not_found", "no users");
    assert_eq!(
        response.header("content-type"),
        Some("application/problem+json")
    );
}

#[tokio::test]
async fn consumes_and_produces_limit_a_method_to_formats() {
    let client = client();
    let put = |content_type: &str| client.put("/users").header("content-type", content_type);
    let csv = put("text/csv").body(CSV).send().await;
    assert_eq!(csv.text(), CSV);
    assert_eq!(csv.header("vary"), None);
    let json = put("application/json").body("[]").send().await;
    assert_problem(
        &json,
        415,
        "unsupported_media_type",
        "content type `application/json` is not supported; send text/csv",
    );
    let without = client.put("/users").body("[]").send().await;
    assert_problem(
        &without,
        415,
        "unsupported_media_type",
        "content type `application/json` is not supported; send text/csv",
    );
    let accept = put("text/csv")
        .header("accept", "application/json")
        .body(CSV);
    assert_eq!(accept.send().await.status(), 406);
}

#[tokio::test]
async fn a_later_format_replaces_an_earlier_one_of_the_same_type() {
    struct Other;
    impl Format for Other {
        fn media_type(&self) -> &'static str {
            "text/csv"
        }
        fn write(&self, _: &dyn ErasedEntity, out: &mut Vec<u8>) -> Result<(), Invalid> {
            out.extend_from_slice(b"other");
            Ok(())
        }
    }
    let api = RestApi::new(Users).register(Csv).register(Other);
    let client = Client::new(App::new().mount("/", api)).unwrap();
    let request = client.get("/users").header("accept", "text/csv");
    assert_eq!(request.send().await.text(), "other");
    let request = client.post("/users").header("content-type", "text/csv");
    assert_eq!(request.body(CSV).send().await.status(), 415);
}

#[test]
fn a_produced_type_without_a_format_is_refused_at_start_up() {
    let problem = App::new()
        .mount("/", RestApi::new(Users))
        .build()
        .unwrap_err();
    let [problem] = problem.problems() else {
        panic!("{problem}")
    };
    assert!(problem.contains("Users::replace"), "{problem}");
    assert!(
        problem.ends_with("produces `text/csv`, which no registered format writes"),
        "{problem}"
    );
}

/// A format with any media type and alias.
struct Named(&'static str, &'static [&'static str]);

impl Format for Named {
    fn media_type(&self) -> &'static str {
        self.0
    }

    fn aliases(&self) -> &'static [&'static str] {
        self.1
    }

    fn write(&self, _: &dyn ErasedEntity, out: &mut Vec<u8>) -> Result<(), Invalid> {
        out.push(b'x');
        Ok(())
    }
}

struct Plain;

#[resource("/plain")]
impl Plain {
    #[get]
    fn get(&self) -> u8 {
        1
    }
}

#[test]
fn a_media_type_with_parameters_is_refused_when_the_application_is_built() {
    let problems = |format| {
        let app = App::new().mount("/", RestApi::new(Plain).register(format));
        let built = app.build();
        built.map_or_else(|error| error.problems().to_vec(), |_| Vec::new())
    };
    let told = |media_type| {
        vec![format!(
            "a format has the media type `{media_type}`: write it as `type/subtype`, and parameters in \
             `content_type`"
        )]
    };
    for wrong in [
        "text/x-a; charset=utf-8",
        "text/x-a;v=1",
        "text/x-a ",
        "text/",
        "/x-a",
        "text",
        "a/b/c",
        "",
    ] {
        assert_eq!(problems(Named(wrong, &[])), told(wrong), "{wrong}");
    }
    assert_eq!(
        problems(Named("text/x-a", &["text/x-b;v=1"])),
        told("text/x-b;v=1")
    );
    let fine = Named("application/vnd.a+b", &["text/x-b"]);
    assert_eq!(problems(fine), Vec::<String>::new());
}
