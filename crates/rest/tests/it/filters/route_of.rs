//! The route of a request, read by a filter of the application.

use innkeeper_rest::filter::before;
use innkeeper_rest::testing::Client;
use innkeeper_rest::{
    App, Filter, Next, Rejection, Request, Response, RestApi, StatusCode, resource,
};

struct Rooms;

#[resource("/rooms")]
impl Rooms {
    #[get]
    fn list(&self) -> &'static str {
        "all"
    }

    #[get("/{floor:[0-9]{1,2}}/{name}")]
    fn show(&self, floor: u8, name: String) -> String {
        format!("{floor} {name}")
    }
}

struct Desk;

#[resource("/")]
impl Desk {
    #[get]
    fn show(&self) -> &'static str {
        "open"
    }
}

/// Adds headers with the route, its mount and the parameter `name`.
struct Say;

impl Filter for Say {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let response = next.run(request).await;
        let Some(route) = next.route_of(request) else {
            return response.header("x-route", "none");
        };
        let name = request.path_param("name").unwrap_or_default().into_owned();
        response
            .header("x-route", route.template())
            .header("x-mount", route.mount)
            .header("x-name", name)
    }
}

async fn found(path: &str) -> (u16, [Option<String>; 3]) {
    let closed =
        before(|_: &mut Request| Err(Rejection::new(StatusCode::UNAUTHORIZED, "closed", "closed")));
    let app = App::new()
        .filter(Say)
        .mount("/", RestApi::new(Rooms))
        .mount("/desk", RestApi::new(Desk))
        .mount("/staff", RestApi::new(Rooms).filter(closed));
    let answer = Client::new(app).unwrap().get(path).send().await;
    let header = |name| answer.header(name).map(str::to_owned);
    (
        answer.status(),
        [header("x-route"), header("x-mount"), header("x-name")],
    )
}

fn said(route: &str, mount: &str, name: &str) -> [Option<String>; 3] {
    [route, mount, name].map(|text| Some(text.to_owned()))
}

#[tokio::test]
async fn the_template_holds_the_mount_and_the_names_of_parameters_without_patterns() {
    assert_eq!(found("/rooms").await, (200, said("/rooms", "", "")));
    assert_eq!(
        found("/rooms/7/blue%20one").await,
        (200, said("/rooms/{floor}/{name}", "", "blue one"))
    );
    assert_eq!(found("/desk").await, (200, said("/desk", "/desk", "")));
}

#[tokio::test]
async fn a_request_that_a_filter_of_the_mount_refuses_has_its_route_all_the_same() {
    assert_eq!(
        found("/staff/rooms/7/blue").await,
        (401, said("/staff/rooms/{floor}/{name}", "/staff", "blue"))
    );
}

#[tokio::test]
async fn a_path_or_method_that_nobody_answers_has_no_route() {
    let none = [Some("none".to_owned()), None, None];
    assert_eq!(found("/nowhere").await, (404, none.clone()));
    assert_eq!(found("/rooms/cellar/blue").await, (404, none));
}
