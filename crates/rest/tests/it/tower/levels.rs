//! tower layers at all four levels.

use innkeeper_rest::filter::{self, NextService};
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Body, Filter, RestApi, resource};
use tower::util::MapRequestLayer;

/// The layers that a request has passed.
#[derive(Clone, Default)]
struct Way(Vec<&'static str>);

/// Returns a layer that records its name in the request.
fn passing(place: &'static str) -> impl Filter {
    let note = move |mut request: http::Request<Body>| {
        let way = request.extensions_mut().get_or_insert_default::<Way>();
        way.0.push(place);
        request
    };
    filter::layer(MapRequestLayer::new(note))
}

struct Tour;

#[resource("/tour")]
#[filter(passing("resource"))]
impl Tour {
    #[get("/{id}")]
    #[filter(passing("method"))]
    async fn with_method(&self, id: u8, #[value] way: Way) -> String {
        format!("{id}: {}", way.0.join(", "))
    }

    #[get]
    fn without(&self, #[value] way: Way) -> String {
        way.0.join(", ")
    }
}

#[tokio::test]
async fn layers_stand_at_every_level_and_nest_like_filters() {
    let app = App::new()
        .filter(passing("application"))
        .mount("/api", RestApi::new(Tour).filter(passing("mount")));
    let client = Client::new(app).unwrap();
    let response = client.get("/api/tour/7").send().await;
    assert_eq!(response.text(), "7: application, mount, resource, method");
    let response = client.get("/api/tour").send().await;
    assert_eq!(response.text(), "application, mount, resource");
}

#[tokio::test]
async fn a_body_passes_through_layers_untouched() {
    struct Echo;

    #[resource("/echo")]
    #[filter(passing("resource"))]
    impl Echo {
        #[post]
        #[body_limit(5)]
        async fn echo(&self, #[body] text: String) -> String {
            text
        }
    }

    let api = RestApi::new(Echo).filter(passing("mount"));
    let client = Client::new(App::new().filter(passing("application")).mount("/", api)).unwrap();
    let response = client.post("/echo").body("hello").send().await;
    assert_eq!(response.text(), "hello");
    let response = client.post("/echo").body("hello!").send().await;
    assert_eq!(response.status(), 413, "limits are those of the method");
}

#[test]
fn the_service_a_layer_wraps_is_cheap_to_clone() {
    fn assert_clone<T: Clone + Send + Sync + 'static>() {}
    assert_clone::<NextService>();
}
