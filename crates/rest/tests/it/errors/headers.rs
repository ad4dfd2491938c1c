//! Default headers of every response, which a handler can override.

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Response, RestApi, filter, resource};

struct Pages;

#[resource("/pages")]
impl Pages {
    #[get]
    fn list(&self) -> u8 {
        1
    }

    #[delete]
    fn clear(&self) {}

    #[get("/cached")]
    fn cached(&self) -> Response {
        Response::ok()
            .header("cache-control", "max-age=60")
            .header("x-content-type-options", "sniff-away")
            .entity(1)
    }
}

fn app() -> App {
    App::new().mount("/", RestApi::new(Pages))
}

#[tokio::test]
async fn every_answer_forbids_sniffing_and_blind_caching() {
    let client = Client::new(app()).unwrap();
    for response in [
        client.get("/pages").send().await,
        client.get("/nothing").send().await,
        client.delete("/pages").send().await,
        client.post("/pages").send().await,
    ] {
        let status = response.status();
        assert_eq!(
            response.header("x-content-type-options"),
            Some("nosniff"),
            "{status}"
        );
        assert_eq!(
            response.header("cache-control"),
            Some("no-cache"),
            "{status}"
        );
    }
}

#[tokio::test]
async fn an_answer_may_replace_them() {
    let client = Client::new(app()).unwrap();
    let response = client.get("/pages/cached").send().await;
    assert_eq!(response.header("cache-control"), Some("max-age=60"));
    assert_eq!(
        response.header("x-content-type-options"),
        Some("sniff-away")
    );
    let values = response.headers().get_all("cache-control").iter().count();
    assert_eq!(values, 1);
}

#[tokio::test]
async fn a_filter_may_replace_them_everywhere() {
    let app = app().filter(filter::after(|response| {
        response.header("cache-control", "private")
    }));
    let client = Client::new(app).unwrap();
    for path in ["/pages", "/nothing"] {
        let response = client.get(path).send().await;
        assert_eq!(response.header("cache-control"), Some("private"), "{path}");
    }
}
