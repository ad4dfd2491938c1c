//! Rate limits at all four levels.

use std::time::Duration;

use innkeeper_rest::filter::{Quota, RateLimit};
use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, PlainText, RestApi, resource};

use super::{Clock, Plain, get, limit, state};

/// Returns the status of a GET request to each path.
async fn statuses(client: &Client, paths: &[&str]) -> Vec<u16> {
    let mut statuses = Vec::new();
    for path in paths {
        statuses.push(get(client, path).await.status());
    }
    statuses
}

#[tokio::test]
async fn at_an_application_everything_is_counted_together() {
    let clock = Clock::new();
    let app = App::new()
        .filter(limit(&clock, Quota::per_minute(4)))
        .mount("/a", RestApi::new(Plain))
        .mount("/b", RestApi::new(Plain).errors(PlainText))
        .handler("/ping", async |_| "pong");
    let client = Client::new(app).unwrap();
    let paths = ["/a/plain", "/ping", "/nothing", "/b/plain", "/a/plain"];
    assert_eq!(statuses(&client, &paths).await, [200, 200, 404, 200, 429]);
    let refused = get(&client, "/b/plain").await;
    assert_eq!(refused.text(), "too many requests; try again in 15 s\n");
    assert_eq!(refused.header("retry-after"), Some("15"));
    clock.advance(Duration::from_mins(1));
    let missing = get(&client, "/nothing").await;
    assert_eq!(missing.status(), 404);
    assert_eq!(missing.header("x-ratelimit-remaining"), Some("3"));
}

#[tokio::test]
async fn at_a_mount_everything_below_the_prefix_is_counted_together() {
    let clock = Clock::new();
    let limited = RestApi::new(Plain).filter(limit(&clock, Quota::per_minute(2)));
    let app = App::new()
        .mount("/a", limited)
        .mount("/b", RestApi::new(Plain));
    let client = Client::new(app).unwrap();
    let paths = ["/a/plain", "/a/nothing", "/a/plain", "/a/nothing"];
    assert_eq!(statuses(&client, &paths).await, [200, 404, 429, 429]);
    let free = get(&client, "/b/plain").await;
    assert_eq!(free.status(), 200);
    assert_eq!(state(&free), [None; 5]);
}

struct Shared {
    limit: RateLimit,
}

#[resource("/shared")]
#[filter(self.limit.clone())]
impl Shared {
    #[get]
    fn get(&self) -> u8 {
        1
    }

    #[get("/other")]
    fn other(&self) -> u8 {
        2
    }
}

#[tokio::test]
async fn at_a_resource_its_methods_are_counted_together() {
    let clock = Clock::new();
    let shared = Shared {
        limit: limit(&clock, Quota::per_minute(2)),
    };
    let api = RestApi::new(shared).with(Plain);
    let client = Client::new(App::new().mount("/", api)).unwrap();
    let paths = ["/shared/nothing", "/plain", "/shared", "/shared/other"];
    assert_eq!(statuses(&client, &paths).await, [404, 200, 200, 200]);
    assert_eq!(client.put("/shared").send().await.status(), 405, "no route");
    assert_eq!(statuses(&client, &["/shared", "/plain"]).await, [429, 200]);
}

struct Mixed {
    limit: RateLimit,
}

#[resource("/mixed")]
impl Mixed {
    #[get]
    #[filter(RateLimit::new(Quota::per_day(1)).unwrap())]
    fn rare(&self) -> u8 {
        1
    }

    #[get("/often")]
    fn often(&self) -> u8 {
        2
    }

    #[put]
    #[post]
    #[filter(RateLimit::new(Quota::per_day(1)).unwrap())]
    fn apart(&self) {}

    #[put("/together")]
    #[post("/together")]
    #[filter(self.limit.clone())]
    fn together(&self) {}
}

#[tokio::test]
async fn at_a_method_only_that_method_is_counted() {
    let limit = RateLimit::new(Quota::per_day(1)).unwrap();
    let api = RestApi::new(Mixed { limit });
    let client = Client::new(App::new().mount("/", api)).unwrap();
    let paths = ["/mixed", "/mixed", "/mixed/often", "/mixed/often"];
    assert_eq!(statuses(&client, &paths).await, [200, 429, 200, 200]);
    assert_eq!(client.put("/mixed").send().await.status(), 204);
    assert_eq!(client.post("/mixed").send().await.status(), 204, "apart");
    assert_eq!(client.post("/mixed").send().await.status(), 429);
    assert_eq!(client.put("/mixed/together").send().await.status(), 204);
    assert_eq!(client.post("/mixed/together").send().await.status(), 429);
}

#[tokio::test]
async fn of_several_each_counts_and_the_nearest_to_its_end_is_shown_to_old_clients() {
    let clock = Clock::new();
    let named = |name: &str, quota| {
        let builder = RateLimit::builder(quota).name(name);
        builder.limiter(clock.limiter()).build().unwrap()
    };
    let shared = Shared {
        limit: named("burst", Quota::per_second(2)),
    };
    let api = RestApi::new(shared).filter(named("daily", Quota::per_day(3)));
    let client = Client::new(App::new().mount("/", api)).unwrap();
    let lines = |response: &innkeeper_rest::testing::TestResponse, name| {
        let values = response.headers().get_all(name).iter();
        let values: Vec<&str> = values.map(|value| value.to_str().unwrap()).collect();
        values.join(", ")
    };

    let first = get(&client, "/shared").await;
    let policies = "\"burst\";q=2;w=1, \"daily\";q=3;w=86400";
    assert_eq!(lines(&first, "ratelimit-policy"), policies);
    assert_eq!(
        lines(&first, "ratelimit"),
        "\"burst\";r=1;t=1, \"daily\";r=2;t=28800"
    );
    assert_eq!(lines(&first, "x-ratelimit-remaining"), "1");
    assert_eq!(lines(&first, "x-ratelimit-limit"), "2");

    get(&client, "/shared").await;
    let inner = get(&client, "/shared").await;
    assert_eq!(inner.status(), 429);
    assert_eq!(inner.header("retry-after"), Some("1"));
    assert_eq!(
        lines(&inner, "ratelimit"),
        "\"burst\";r=0;t=1, \"daily\";r=0;t=28800"
    );

    clock.advance(Duration::from_secs(1));
    let outer = get(&client, "/shared").await;
    assert_eq!(outer.status(), 429);
    assert_eq!(lines(&outer, "ratelimit"), "\"daily\";r=0;t=28799");
    assert_eq!(outer.header("retry-after"), Some("28799"));
}
