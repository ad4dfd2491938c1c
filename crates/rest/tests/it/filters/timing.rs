//! Durations of responses.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use innkeeper_rest::filter::Timing;
use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, Response, RestApi, resource};

/// Sets a clock that advances by `step` on every read.
fn ticking(timing: Timing, step: Duration) -> Timing {
    let now = Mutex::new(Instant::now());
    timing.with_clock(move || {
        let mut now = now.lock().unwrap();
        *now += step;
        *now
    })
}

/// Returns a filter that measures 12.5 ms for every response.
fn slow() -> Timing {
    ticking(Timing::new(), Duration::from_micros(12_500))
}

struct Plain;

#[resource("/plain")]
impl Plain {
    #[get]
    fn get(&self) -> u8 {
        1
    }

    #[get("/measured")]
    fn measured(&self) -> Response {
        Response::ok().header("server-timing", "db;dur=3.2")
    }
}

fn timings(response: &TestResponse) -> Vec<&str> {
    let lines = response.headers().get_all("server-timing").iter();
    lines.map(|line| line.to_str().unwrap()).collect()
}

const SLOW: [&str; 1] = ["total;dur=12.500"];
const NONE: [&str; 0] = [];

#[tokio::test]
async fn at_an_application_every_answer_says_how_long_it_took() {
    let app = App::new().filter(slow()).mount("/a", RestApi::new(Plain));
    let client = Client::new(app.handler("/ping", async |_| "pong")).unwrap();
    for path in ["/a/plain", "/a/nothing", "/nothing", "/ping"] {
        assert_eq!(timings(&client.get(path).send().await), SLOW, "{path}");
    }
}

#[tokio::test]
async fn at_a_mount_answers_below_its_prefix_say_so() {
    let app = App::new()
        .mount("/a", RestApi::new(Plain).filter(slow()))
        .mount("/b", RestApi::new(Plain));
    let client = Client::new(app).unwrap();
    for path in ["/a/plain", "/a/nothing"] {
        assert_eq!(timings(&client.get(path).send().await), SLOW, "{path}");
    }
    assert_eq!(timings(&client.get("/b/plain").send().await), NONE);
}

struct Timed;

#[resource("/timed")]
#[filter(slow())]
impl Timed {
    #[get]
    fn get(&self) -> u8 {
        1
    }

    #[put]
    #[filter(slow().named("handler").unwrap())]
    fn put(&self) {}
}

struct Mixed;

#[resource("/mixed")]
impl Mixed {
    #[get]
    #[filter(slow())]
    fn get(&self) -> u8 {
        1
    }

    #[put]
    fn put(&self) {}
}

#[tokio::test]
async fn at_a_resource_or_method_answers_of_its_routes_say_so() {
    let api = RestApi::new(Timed).with(Mixed);
    let client = Client::new(App::new().mount("/", api)).unwrap();
    assert_eq!(timings(&client.get("/timed").send().await), SLOW);
    assert_eq!(timings(&client.get("/timed/nothing").send().await), NONE);
    assert_eq!(timings(&client.get("/mixed").send().await), SLOW);
    assert_eq!(timings(&client.put("/mixed").send().await), NONE);
    let both = ["handler;dur=12.500", "total;dur=12.500"];
    assert_eq!(timings(&client.put("/timed").send().await), both);
}

#[tokio::test]
async fn what_a_handler_has_measured_stays() {
    let api = RestApi::new(Plain).filter(slow());
    let client = Client::new(App::new().mount("/", api)).unwrap();
    let response = client.get("/plain/measured").send().await;
    assert_eq!(timings(&response), ["db;dur=3.2", "total;dur=12.500"]);
}

#[tokio::test]
async fn a_function_is_told_route_method_status_and_time() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let diary = Arc::clone(&told);
    let silent = Timing::silent(move |timed| {
        let operation = timed.route.map(|route| route.operation);
        let line = (operation, timed.method.clone(), timed.status.as_u16());
        diary.lock().unwrap().push((line, timed.duration));
    });
    let filter = ticking(silent, Duration::from_millis(7));
    let app = App::new().filter(filter).mount("/", RestApi::new(Plain));
    let client = Client::new(app).unwrap();
    let response = client.get("/plain").send().await;
    assert_eq!(timings(&response), NONE, "the client is not told");
    client.put("/plain").send().await;
    client.get("/nothing").send().await;
    let told = told.lock().unwrap();
    let lines: Vec<String> = told
        .iter()
        .map(|((operation, method, status), time)| {
            let operation = operation.unwrap_or("none");
            format!("{operation} {method} {status} {}", time.as_millis())
        })
        .collect();
    assert_eq!(lines, ["get GET 200 7", "none PUT 405 7", "none GET 404 7"]);
}

#[tokio::test]
async fn client_and_function_may_both_be_told() {
    let count = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&count);
    let filter = slow().report(move |_| *counted.lock().unwrap() += 1);
    let app = App::new().filter(filter).mount("/", RestApi::new(Plain));
    let client = Client::new(app).unwrap();
    assert_eq!(timings(&client.get("/plain").send().await), SLOW);
    assert_eq!(*count.lock().unwrap(), 1);
}

#[tokio::test]
async fn without_a_clock_of_ones_own_time_passes_by_itself() {
    let app = App::new().filter(Timing::new());
    let client = Client::new(app.mount("/", RestApi::new(Plain))).unwrap();
    let response = client.get("/plain").send().await;
    let time = timings(&response)[0].strip_prefix("total;dur=").unwrap();
    assert!(time.parse::<f64>().unwrap() >= 0.0, "{time}");
}

#[test]
fn a_name_that_is_no_word_is_an_error() {
    for name in ["", "a b", "a;b", "a,b", "ü", "a\nb"] {
        assert!(Timing::new().named(name).is_err(), "{name:?}");
    }
    let error = Timing::new().named("a b").unwrap_err();
    let problem = "`a b` is not the name of a time: a name is one word of ASCII";
    assert_eq!(error.problems(), [problem]);
}
