//! Custom conversions, on every source that has a value to convert.

use innkeeper_rest::{Conversion, Invalid, Value, filter, resource};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::sources::{assert_malformed, assert_missing, client};

struct Trim;

impl Conversion for Trim {
    fn convert(&self, value: Value) -> Result<Value, Invalid> {
        match value {
            Value::String(text) => Ok(text.trim().into()),
            other => Ok(other),
        }
    }
}

struct Prefix(&'static str);

impl Conversion for Prefix {
    fn convert(&self, value: Value) -> Result<Value, Invalid> {
        match value {
            Value::String(text) => Ok(format!("{}{text}", self.0).into()),
            _ => Err(Invalid::expected("text")),
        }
    }
}

/// Turns `1h` or `5m` into a number of seconds.
#[derive(Clone, Copy)]
struct Seconds;

impl Conversion for Seconds {
    fn convert(&self, value: Value) -> Result<Value, Invalid> {
        let expected = || Invalid::expected("a duration such as `5m`");
        let text = value.as_str().ok_or_else(expected)?;
        let (number, unit) = text
            .split_at_checked(text.len().saturating_sub(1))
            .ok_or_else(expected)?;
        let number: u64 = number.parse().map_err(|_| expected())?;
        match unit {
            "m" => Ok((number * 60).into()),
            "h" => Ok((number * 3600).into()),
            _ => Err(expected()),
        }
    }
}

/// Converts `3..5` to an object of two numbers; an end that is not a number stays text.
struct Range;

impl Conversion for Range {
    fn convert(&self, value: Value) -> Result<Value, Invalid> {
        let ends = value.as_str().and_then(|text| text.split_once(".."));
        let (from, to) = ends.ok_or_else(|| Invalid::expected("a range such as `3..5`"))?;
        let end = |text: &str| {
            text.parse()
                .map_or_else(|_| Value::from(text), |n: u8| n.into())
        };
        Ok(json!({ "from": end(from), "to": end(to) }))
    }
}

/// Converts the occurrences of a parameter to their count.
struct Count;

impl Conversion for Count {
    fn convert(&self, value: Value) -> Result<Value, Invalid> {
        Ok(value.as_array().map_or(1, Vec::len).into())
    }
}

/// Reverses text or a list; a function is a conversion too.
fn reversed(value: Value) -> Result<Value, Invalid> {
    match value {
        Value::String(text) => Ok(text.chars().rev().collect::<String>().into()),
        Value::Array(items) => Ok(items.into_iter().rev().collect()),
        _ => Err(Invalid::expected("text or a list")),
    }
}

#[derive(Serialize, Deserialize)]
struct Span {
    from: u8,
    to: u8,
}

struct Conversions {
    greeting: Prefix,
}

const SHORT: Prefix = Prefix("~");

#[resource("/convert")]
#[filter(filter::before(|request| {
    request.values_mut().set(" typed ".to_owned());
    request.values_mut().set_named("json", json!(" named "));
    request.values_mut().set_named("text", " fixed ");
    Ok(())
}))]
impl Conversions {
    #[get("/path/{word}")]
    fn path(&self, #[convert(Trim)] word: String) -> String {
        word
    }

    #[get("/param")]
    fn param(&self, #[convert(Trim)] word: String) -> String {
        word
    }

    #[get("/header")]
    fn header(
        &self,
        #[header("X-Word")]
        #[convert(Prefix("h:"))]
        word: &str,
    ) -> String {
        word.to_owned()
    }

    #[get("/cookie")]
    fn cookie(
        &self,
        #[convert(SHORT)]
        #[cookie("word")]
        word: String,
    ) -> String {
        word
    }

    #[get("/value")]
    fn value(
        &self,
        #[value]
        #[convert(Trim)]
        typed: String,
        #[value("json")]
        #[convert(Trim)]
        named: String,
        #[value("text")]
        #[convert(Trim)]
        fixed: String,
    ) -> String {
        format!("{typed} {named} {fixed}")
    }

    #[post("/entity")]
    fn entity(&self, #[convert(Range)] span: Span) -> Span {
        span
    }

    #[post("/body")]
    fn body(
        &self,
        #[body]
        #[convert(Trim)]
        #[convert(Range)]
        span: Span,
    ) -> Span {
        span
    }

    #[post("/form")]
    fn form(
        &self,
        #[param]
        #[convert(Trim)]
        word: String,
    ) -> String {
        word
    }

    #[get("/matrix/{filter}")]
    fn matrix(
        &self,
        #[matrix]
        #[convert(|value: Value| Ok(json!(value.as_object().map_or(0, serde_json::Map::len))))]
        filter: u8,
    ) -> u8 {
        filter
    }

    #[get("/order")]
    fn order(
        &self,
        #[convert(Trim)]
        #[convert(Prefix("a"))]
        #[convert(Prefix("b"))]
        word: String,
    ) -> String {
        word
    }

    #[get("/mixed")]
    fn mixed(
        &self,
        #[convert(Trim)]
        #[separated_by(",")]
        #[convert(reversed)]
        numbers: Vec<u8>,
    ) -> Vec<u8> {
        numbers
    }

    #[get("/seconds")]
    fn seconds(
        &self,
        #[convert(Seconds)] wait: u64,
        #[convert(Seconds)] rest: Option<u64>,
        #[param(default = 9)]
        #[convert(Seconds)]
        pause: u64,
    ) -> Vec<u64> {
        vec![wait, rest.unwrap_or_default(), pause]
    }

    #[get("/range")]
    fn range(&self, #[convert(Range)] span: Span) -> Span {
        span
    }

    #[get("/count")]
    fn count(&self, #[convert(Count)] word: u32) -> u32 {
        word
    }

    #[get("/scalars")]
    fn scalars(
        &self,
        #[convert(|_: Value| Ok(json!(true)))] flag: bool,
        #[convert(|_: Value| Ok(json!([1, "2", 3.0])))] list: Vec<String>,
        #[convert(|_: Value| Ok(json!([1, "2"])))] numbers: Vec<u8>,
        #[convert(|_: Value| Ok(json!({"any": [1]})))] any: Value,
    ) -> String {
        format!("{flag} {list:?} {numbers:?} {any}")
    }

    #[get("/nothing")]
    fn nothing(&self, #[convert(|_: Value| Ok(Value::Null))] word: Option<String>) -> String {
        format!("{word:?}")
    }
}

fn resource() -> Conversions {
    Conversions {
        greeting: Prefix("hello "),
    }
}

#[tokio::test]
async fn a_conversion_changes_the_text_of_every_source() {
    let client = client(resource());
    let path = client.get("/convert/path/%20a%20").send().await;
    assert_eq!(path.text(), "a");
    let param = client.get("/convert/param?word=+a+").send().await;
    assert_eq!(param.text(), "a");
    let header = client.get("/convert/header").header("x-word", "a");
    assert_eq!(header.send().await.text(), "h:a");
    let cookie = client.get("/convert/cookie").header("cookie", "word=a");
    assert_eq!(cookie.send().await.text(), "~a");
    let value = client.get("/convert/value").send().await;
    assert_eq!(value.text(), "typed named fixed");
    let entity = client.post("/convert/entity").json(&"3..5").send().await;
    assert_eq!(entity.text(), r#"{"from":3,"to":5}"#);
    let body = client.post("/convert/body").body(" 3..5\n").send().await;
    assert_eq!(body.text(), r#"{"from":3,"to":5}"#);
    let form = client.post("/convert/form").form("word=+a+").send().await;
    assert_eq!(form.text(), "a");
    let matrix = client.get("/convert/matrix/a;b;c=1").send().await;
    assert_eq!(matrix.text(), "3");
}

#[tokio::test]
async fn conversions_run_in_the_order_they_are_written() {
    let client = client(resource());
    let order = client.get("/convert/order?word=+x+").send().await;
    assert_eq!(order.text(), "bax");
    let mixed = client.get("/convert/mixed?numbers=+1,2,3+").send().await;
    assert_eq!(mixed.text(), "[3,2,1]");
}

#[tokio::test]
async fn a_conversion_may_make_something_else_of_a_text() {
    let client = client(resource());
    let seconds = client.get("/convert/seconds?wait=5m&rest=1h").send().await;
    assert_eq!(seconds.text(), "[300,3600,9]");
    let range = client.get("/convert/range?span=3..5").send().await;
    assert_eq!(range.text(), r#"{"from":3,"to":5}"#);
    let scalars = client
        .get("/convert/scalars?flag=&list=&numbers=&any=")
        .send()
        .await;
    assert_eq!(
        scalars.text(),
        r#"true ["1", "2", "3.0"] [1, 2] {"any":[1]}"#
    );
    let nothing = client.get("/convert/nothing?word=a").send().await;
    assert_eq!(nothing.text(), "None");
}

#[tokio::test]
async fn a_conversion_sees_repeated_parameters_as_a_list() {
    let client = client(resource());
    let several = client.get("/convert/count?word=a&word=b").send().await;
    assert_eq!(several.text(), "2");
    let one = client.get("/convert/count?word=a").send().await;
    assert_eq!(one.text(), "1");
}

#[tokio::test]
async fn a_conversion_does_not_run_on_what_is_absent() {
    let client = client(resource());
    let absent = client.get("/convert/seconds").send().await;
    assert_missing(&absent, "parameter", "wait");
    let absent = client.get("/convert/count").send().await;
    assert_missing(&absent, "parameter", "word");
}

#[tokio::test]
async fn a_conversion_says_what_it_expected() {
    let client = client(resource());
    for text in ["", "5", "m", "5d", "%C3%BC"] {
        let target = format!("/convert/seconds?wait={text}");
        let response = client.get(target).send().await;
        let detail = "parameter `wait`: expected a duration such as `5m`";
        assert_malformed(&response, "wait", detail);
    }
    let typed = client.get("/convert/range?span=3..x").send().await;
    let detail = "parameter `span`: `to`: expected a whole number between 0 and 255";
    assert_malformed(&typed, "span", detail);
    let header = client.get("/convert/header").header("x-word", "a");
    let header = header.header("x-word", "b").send().await;
    assert_malformed(&header, "X-Word", "header `X-Word`: expected text");
    let body = client.post("/convert/body").body("3").send().await;
    assert_malformed(
        &body,
        "body",
        "body `body`: expected a range such as `3..5`",
    );
}

#[tokio::test]
async fn a_converted_entity_of_the_wrong_shape_is_unprocessable() {
    let client = client(resource());
    let response = client.post("/convert/entity").json(&"3..x").send().await;
    assert_eq!(response.status(), 422);
}

#[test]
fn a_conversion_is_an_ordinary_value() {
    let greeted = resource().greeting.convert("you".into());
    assert_eq!(greeted.unwrap(), "hello you");
    assert_eq!(reversed("ab".into()).unwrap(), "ba");
}
