//! `#[value]`: values set by filters.

use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, Conversion, Invalid, Request, RestApi, Value, filter, resource};

use super::{assert_problem, client};
use crate::errors::log::Log;

#[derive(Clone)]
struct Caller(u32);

/// Turns text into upper case.
struct Upper;

impl Conversion for Upper {
    fn convert(&self, value: Value) -> Result<Value, Invalid> {
        match value {
            Value::String(text) => Ok(text.to_uppercase().into()),
            _ => Err(Invalid::expected("text")),
        }
    }
}

struct Values;

#[resource("/values")]
impl Values {
    #[get("/typed")]
    fn typed(&self, #[value] caller: Caller) -> u32 {
        caller.0
    }

    #[get("/named")]
    fn named(&self, #[value("region")] region: String) -> String {
        region
    }

    #[get("/lasting")]
    fn lasting(&self, #[value] note: &'static str, #[request] request: Request) -> String {
        let path = request.path().to_owned();
        drop(request);
        format!("{note} {path}")
    }

    #[get("/optional")]
    fn optional(
        &self,
        #[value] caller: Option<Caller>,
        #[value("region")] region: Option<String>,
    ) -> String {
        format!("{:?} {region:?}", caller.map(|caller| caller.0))
    }

    #[get("/converted")]
    fn converted(
        &self,
        #[value("region")]
        #[convert(Upper)]
        region: String,
    ) -> String {
        region
    }

    #[get("/converted-optional")]
    fn converted_optional(
        &self,
        #[value("region")]
        #[convert(Upper)]
        region: Option<String>,
    ) -> String {
        format!("{region:?}")
    }

    #[get("/converted-list")]
    fn converted_list(
        &self,
        #[value("region")]
        #[separated_by("-")]
        region: Vec<String>,
    ) -> Vec<String> {
        region
    }
}

/// Returns a client of an application whose filter sets a caller, a region of another type, and the
/// given region.
fn with(region: Option<&'static str>) -> Client {
    let set = filter::before(move |request| {
        let values = request.values_mut();
        values.set(Caller(7));
        values.set_named("region", 12_u8);
        if let Some(region) = region {
            values.set_named("region", region.to_owned());
        }
        Ok(())
    });
    Client::new(App::new().mount("/", RestApi::new(Values).filter(set))).unwrap()
}

/// Sends a request and returns the response and the log.
async fn logged(client: &Client, path: &str) -> (TestResponse, String) {
    let log = Log::start();
    let response = client.get(path).send().await;
    (response, log.text())
}

#[tokio::test]
async fn a_value_is_found_by_type() {
    assert_eq!(with(None).get("/values/typed").send().await.text(), "7");
}

#[tokio::test]
async fn a_named_value_is_found_by_name_and_type() {
    let client = with(Some("north"));
    assert_eq!(client.get("/values/named").send().await.text(), "north");
    let optional = client.get("/values/optional").send().await;
    assert_eq!(optional.text(), r#"Some(7) Some("north")"#);
}

#[tokio::test]
async fn a_value_may_outlive_the_request() {
    let set = filter::before(|request| {
        request.values_mut().set("kept");
        Ok(())
    });
    let client = Client::new(App::new().mount("/", RestApi::new(Values).filter(set))).unwrap();
    let response = client.get("/values/lasting").send().await;
    assert_eq!(response.text(), "kept /values/lasting");
}

#[tokio::test]
async fn an_unset_value_is_a_logged_internal_error() {
    let bare = client(Values);
    for path in [
        "/values/typed",
        "/values/named",
        "/values/converted",
        "/values/converted-list",
    ] {
        let (response, log) = logged(&bare, path).await;
        assert_problem(&response, 500, "internal_error", "internal server error");
        assert!(log.contains("ERROR"), "{log}");
        assert!(log.contains("no filter has set"), "{log}");
        assert!(log.contains(path), "{log}");
    }
    let (_, log) = logged(&bare, "/values/typed").await;
    assert!(log.contains("Caller"), "{log}");
    let (_, log) = logged(&bare, "/values/named").await;
    assert!(log.contains("`region`"), "{log}");
    // A value with the same name and another type does not match.
    let (response, _) = logged(&with(None), "/values/named").await;
    assert_eq!(response.status(), 500);
}

#[tokio::test]
async fn an_unset_optional_value_is_none() {
    let (response, log) = logged(&client(Values), "/values/optional").await;
    assert_eq!(response.text(), "None None");
    assert_eq!(log, "");
    let converted = client(Values)
        .get("/values/converted-optional")
        .send()
        .await;
    assert_eq!(converted.text(), "None");
}

#[tokio::test]
async fn a_value_may_be_converted() {
    let client = with(Some("north-west"));
    for (path, expected) in [
        ("converted", "NORTH-WEST"),
        ("converted-optional", r#"Some("NORTH-WEST")"#),
        ("converted-list", r#"["north","west"]"#),
    ] {
        let response = client.get(format!("/values/{path}")).send().await;
        assert_eq!(response.text(), expected);
    }
}
