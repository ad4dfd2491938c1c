//! `#[validate(…)]` on arguments.

use garde::Validate;
use innkeeper_rest::{Resource, Value, resource};
use serde::Deserialize;
use serde_json::json;

use super::{assert_invalid, client};

const MOST: u32 = 50;

#[derive(Debug, Clone, Deserialize, Validate)]
struct Filter {
    #[garde(range(min = 1))]
    #[serde(default = "one")]
    size: u32,
    #[garde(length(max = 2))]
    #[serde(default)]
    tags: Vec<String>,
}

fn one() -> u32 {
    1
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "rules are given references"
)]
fn even(value: &u32, (): &()) -> garde::Result {
    if value.is_multiple_of(2) {
        Ok(())
    } else {
        Err(garde::Error::new("not even"))
    }
}

struct Search;

#[resource("/search")]
impl Search {
    #[get("/numbers")]
    fn numbers(
        &self,
        #[param(default = 10)]
        #[validate(range(min = 1, max = MOST))]
        limit: u32,
        #[validate(range(min = -1.5, max = 1.5))] angle: Option<f64>,
        #[validate(range(equal = 7))] seven: Option<i8>,
        #[validate(custom(even))]
        #[param(default = 2)]
        even: u32,
    ) -> String {
        format!("{limit} {angle:?} {seven:?} {even}")
    }

    #[get("/texts")]
    fn texts(
        &self,
        #[validate(length(min = 2, max = 4))] name: Option<&str>,
        #[validate(pattern("^[a-z]+$"))] word: Option<String>,
        #[validate(ascii, contains("b"), prefix("a"), suffix("c"))] abc: Option<String>,
    ) -> usize {
        let all = [name, word.as_deref(), abc.as_deref()];
        all.iter().flatten().count()
    }

    #[get("/places")]
    fn places(
        &self,
        #[validate(email)] mail: Option<String>,
        #[validate(url)] link: Option<String>,
        #[validate(ipv4)] address: Option<String>,
    ) -> usize {
        [mail, link, address].iter().flatten().count()
    }

    #[get("/lists")]
    fn lists(
        &self,
        #[validate(length(max = 2), inner(length(max = 3), alphanumeric))] tag: Vec<String>,
        #[separated_by(",")]
        #[validate(inner(range(min = 1)))]
        ids: Vec<u32>,
        #[validate(inner(range(max = 5)))] one: Option<u32>,
    ) -> usize {
        tag.len() + ids.len() + one.into_iter().len()
    }

    #[get("/elsewhere/{filter}")]
    fn elsewhere(
        &self,
        #[header("X-Name")]
        #[validate(length(max = 3))]
        name: Option<String>,
        #[cookie("sid")]
        #[validate(length(equal = 4))]
        sid: Option<String>,
        #[matrix]
        #[validate(dive)]
        filter: Filter,
    ) -> String {
        format!("{name:?} {sid:?} {filter:?}")
    }

    #[post("/body")]
    fn body(
        &self,
        #[body]
        #[validate(length(max = 3))]
        text: String,
    ) -> usize {
        text.len()
    }

    #[post("/form")]
    fn form(
        &self,
        #[param]
        #[validate(range(max = 3))]
        count: u32,
    ) -> u32 {
        count
    }
}

/// Returns the parameter, pointer and detail of each error.
async fn told(target: &str) -> Vec<(String, String, String)> {
    let response = client(Search).get(target).send().await;
    let problem: Value = response.json().unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    problem["errors"]
        .as_array()
        .expect("errors in the answer")
        .iter()
        .map(|error| {
            (
                text(&error["parameter"]),
                text(&error["pointer"]),
                text(&error["detail"]),
            )
        })
        .collect()
}

async fn assert_told(target: &str, expected: &[(&str, &str, &str)]) {
    let told = told(target).await;
    let told: Vec<(&str, &str, &str)> = told
        .iter()
        .map(|(name, pointer, detail)| (name.as_str(), pointer.as_str(), detail.as_str()))
        .collect();
    assert_eq!(told, expected, "{target}");
}

#[tokio::test]
async fn values_within_bounds_pass() {
    let client = client(Search);
    for (target, answer) in [
        ("/search/numbers", "10 None None 2"),
        (
            "/search/numbers?limit=1&angle=-1.5&seven=7&even=4",
            "1 Some(-1.5) Some(7) 4",
        ),
        ("/search/numbers?limit=50", "50 None None 2"),
        (
            "/search/texts?name=%C3%BC%C3%BC%C3%BC%C3%BC&word=abc&abc=abc",
            "3",
        ),
        (
            "/search/places?mail=a%40b.de&link=http%3A%2F%2Fa.de&address=10.0.0.1",
            "3",
        ),
        ("/search/lists?tag=a&tag=b&ids=1,2&one=5", "5"),
    ] {
        let response = client.get(target).send().await;
        assert_eq!(
            (response.status(), response.text().as_str()),
            (200, answer),
            "{target}"
        );
    }
}

#[tokio::test]
async fn every_value_out_of_bounds_is_told() {
    assert_told(
        "/search/numbers?limit=51&angle=2&seven=8&even=3",
        &[
            ("limit", "", "greater than 50"),
            ("angle", "", "greater than 1.5"),
            ("seven", "", "greater than 7"),
            ("even", "", "not even"),
        ],
    )
    .await;
    assert_told("/search/numbers?limit=0", &[("limit", "", "lower than 1")]).await;
    assert_told(
        "/search/texts?name=a&word=a1&abc=%C3%BC",
        &[
            ("name", "", "length is lower than 2"),
            ("word", "", "does not match pattern /^[a-z]+$/"),
            ("abc", "", "not ascii"),
            ("abc", "", "does not contain \"b\""),
            ("abc", "", "value does not begin with \"a\""),
            ("abc", "", "does not end with \"c\""),
        ],
    )
    .await;
    assert_told(
        "/search/places?mail=x&link=x&address=%3A%3A1",
        &[
            ("mail", "", "not a valid email: value is missing `@`"),
            ("link", "", "not a valid url: relative URL without a base"),
            ("address", "", "not a valid IPv4 address"),
        ],
    )
    .await;
}

#[tokio::test]
async fn items_are_told_by_their_place() {
    assert_told(
        "/search/lists?tag=long&tag=a&tag=-&ids=1,0&one=6",
        &[
            ("tag", "", "length is greater than 2"),
            ("tag", "/0", "length is greater than 3"),
            ("tag", "/2", "not alphanumeric"),
            ("ids", "/1", "lower than 1"),
            ("one", "", "greater than 5"),
        ],
    )
    .await;
}

#[tokio::test]
async fn headers_cookies_and_matrix_parameters_are_validated() {
    let client = client(Search);
    let request = client
        .get("/search/elsewhere/size=0;tags=a,b,c")
        .header("x-name", "long")
        .header("cookie", "sid=1");
    assert_invalid(
        &request.send().await,
        "the request is not valid: header `X-Name`: length is greater than 3; \
         cookie `sid`: length is lower than 4; matrix parameter `filter` `/size`: lower than 1; \
         matrix parameter `filter` `/tags`: length is greater than 2",
        &json!([
            {"parameter": "X-Name", "in": "header", "detail": "length is greater than 3"},
            {"parameter": "sid", "in": "cookie", "detail": "length is lower than 4"},
            {"parameter": "filter", "in": "path", "pointer": "/size", "detail": "lower than 1"},
            {"parameter": "filter", "in": "path", "pointer": "/tags", "detail": "length is greater than 2"},
        ]),
    );
    let fine = client.get("/search/elsewhere/size=1").send().await;
    assert_eq!(fine.text(), "None None Filter { size: 1, tags: [] }");
}

#[tokio::test]
async fn bodies_as_text_and_form_fields_are_validated() {
    let client = client(Search);
    let response = client.post("/search/body").body("long").send().await;
    let problem: Value = response.json().unwrap();
    assert_eq!(problem["errors"][0]["in"], "body");
    let response = client.post("/search/form").form("count=4").send().await;
    let problem: Value = response.json().unwrap();
    assert_eq!(
        problem["errors"],
        json!([{"parameter": "count", "in": "query", "detail": "greater than 3"}])
    );
}

#[tokio::test]
async fn what_is_malformed_is_400_as_ever() {
    let response = client(Search).get("/search/numbers?limit=x").send().await;
    assert_eq!(
        response.json::<Value>().unwrap()["code"],
        "malformed_parameter"
    );
}

#[test]
fn bounds_are_written_down() {
    let find = |operation: &str| {
        let route = Search::ROUTES
            .iter()
            .find(|route| route.operation == operation)
            .unwrap();
        move |name: &str| {
            let found = route
                .arguments
                .iter()
                .find(|argument| argument.name == name);
            found.unwrap().bounds
        }
    };
    let numbers = find("numbers");
    assert_eq!(
        (numbers("limit").minimum, numbers("limit").maximum),
        (Some(1.0), Some(50.0))
    );
    assert_eq!(
        (numbers("angle").minimum, numbers("angle").maximum),
        (Some(-1.5), Some(1.5))
    );
    assert_eq!(
        (numbers("seven").minimum, numbers("seven").maximum),
        (Some(7.0), Some(7.0))
    );
    assert_eq!(numbers("even"), innkeeper_rest::Bounds::NONE);
    let texts = find("texts");
    assert_eq!(
        (texts("name").min_length, texts("name").max_length),
        (Some(2), Some(4))
    );
    assert_eq!(texts("word").pattern, Some("^[a-z]+$"));
    assert_eq!(texts("abc").format, None);
    let formats = ["mail", "link", "address"].map(|name| find("places")(name).format);
    assert_eq!(formats, [Some("email"), Some("uri"), Some("ipv4")]);
    let lists = find("lists");
    assert_eq!(lists("tag").max_length, Some(2));
    assert_eq!(lists("tag").items.unwrap().max_length, Some(3));
    assert_eq!(lists("ids").items.unwrap().minimum, Some(1.0));
}
