//! Values that filters set and `#[value]` reads.

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Filter, Next, Request, Response, RestApi, filter, resource};

use crate::errors::log::Log;

#[derive(Clone)]
struct Caller(String);

/// Sets the caller, the region and the floor.
struct SignIn;

impl Filter for SignIn {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let Some(name) = request.head().header_text("x-user").map(str::to_owned) else {
            return next.run(request).await;
        };
        request.values_mut().set(Caller(name));
        request.values_mut().set_named("region", "north".to_owned());
        request.values_mut().set_named("floor", 3_u8);
        next.run(request).await
    }
}

struct Desk;

#[resource("/desk")]
impl Desk {
    #[get("/caller")]
    fn caller(&self, #[value] caller: Caller) -> String {
        caller.0
    }

    #[get("/maybe")]
    fn maybe(&self, #[value] caller: Option<Caller>) -> String {
        caller.map_or_else(|| "nobody".to_owned(), |caller| caller.0)
    }

    #[get("/named")]
    fn named(&self, #[value("region")] region: String, #[value("floor")] floor: u8) -> String {
        format!("{region} {floor}")
    }

    #[get("/again")]
    #[filter(filter::before(|request| {
        request.values_mut().set(Caller("somebody else".to_owned()));
        Ok(())
    }))]
    fn again(&self, #[value] caller: Caller) -> String {
        caller.0
    }
}

fn client() -> Client {
    let api = RestApi::new(Desk).filter(SignIn);
    Client::new(App::new().mount("/", api)).unwrap()
}

#[tokio::test]
async fn a_value_set_by_a_filter_is_an_argument() {
    let client = client();
    for (path, body) in [
        ("/desk/caller", "ada"),
        ("/desk/maybe", "ada"),
        ("/desk/named", "north 3"),
    ] {
        let response = client.get(path).header("x-user", "ada").send().await;
        assert_eq!(response.text(), body);
    }
}

#[tokio::test]
async fn a_filter_further_in_replaces_a_value() {
    let client = client();
    let response = client.get("/desk/again").header("x-user", "ada").send();
    assert_eq!(response.await.text(), "somebody else");
}

#[tokio::test]
async fn a_value_that_nobody_set_is_our_mistake_unless_it_is_optional() {
    let client = client();
    assert_eq!(client.get("/desk/maybe").send().await.text(), "nobody");
    for (path, missing) in [("/desk/caller", "Caller"), ("/desk/named", "`region`")] {
        let log = Log::start();
        assert_eq!(client.get(path).send().await.status(), 500);
        assert!(log.text().contains(missing), "{}", log.text());
    }
}
