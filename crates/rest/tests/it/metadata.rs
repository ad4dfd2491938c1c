//! Metadata of routes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use innkeeper_rest::filter::{self, Trace};
use innkeeper_rest::testing::Client;
use innkeeper_rest::{
    ApiError, App, Async, Body, Filter, Limit, MetaValue, Next, Rejection, ReplyKind, Request,
    Resource, Response, RestApi, Route, Security, Source, Verb, resource,
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
struct User {
    id: u64,
}

struct Users;

/// Rejects clients without the scopes that the route requires.
struct Scopes;

impl Filter for Scopes {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        let held = request.head().header_text("x-scopes").unwrap_or_default();
        let wanted = request.route().map_or(&[][..], |route| route.security);
        let mut scopes = wanted.iter().flat_map(|security| security.scopes);
        match scopes.find(|scope| !held.split(',').any(|word| word == **scope)) {
            Some(scope) => Response::error_with(403, format!("`{scope}` is needed")),
            None => next.run(request).await,
        }
    }
}

#[resource("/users")]
#[filter(Scopes)]
#[security(bearer)]
#[meta(area = "people", cached = 30)]
impl Users {
    /// Finds a user.
    ///
    /// Reads the whole table.
    #[get("/{id:[0-9]+}")]
    #[responds(200, User)]
    #[responds(404, "no such user")]
    #[security(api_key("read", "list"))]
    #[meta(cached = 60, weight = 0.5, hot = true, shift = -3)]
    #[produces("application/json")]
    async fn find(
        &self,
        id: u64,
        #[param("verbose", default = false)] detailed: bool,
        #[param(default = 2 + 3)] depth: u8,
        #[header("X-Agent")] agent: Option<String>,
        #[cookie("sid")] session: Option<String>,
        #[separated_by(",")] fields: Vec<String>,
    ) -> Result<User, Rejection> {
        let _ = (detailed, depth, agent, session, fields);
        Ok(User { id })
    }

    #[post]
    #[put]
    #[consumes("application/json", "text/csv")]
    #[responds(201, User, "made")]
    #[body_limit(64 * 1024)]
    #[timeout(none)]
    #[detached]
    async fn save(&self, #[param] id: Option<u64>, user: User) -> Response {
        let _ = (id, user);
        Response::created()
    }

    #[route(method = "QUERY", path = "/by/{filter}/{*rest}")]
    fn query(
        &self,
        #[matrix] filter: HashMap<String, String>,
        rest: String,
        #[value] count: Option<u64>,
        #[value("region")] area: Option<String>,
        #[stream] body: Body,
        #[request] request: &Request,
    ) {
        let _ = (filter, rest, count, area, body, request);
    }

    #[patch]
    #[body_limit(none)]
    #[timeout(5)]
    fn r#move(&self, #[body] text: String) -> String {
        text
    }
}

/// Returns the route of `Users` with this verb.
fn route(verb: Verb) -> &'static Route {
    let mut routes = Users::ROUTES.iter();
    routes.find(|route| route.verb == verb).unwrap()
}

fn names(route: &Route) -> Vec<(&'static str, Source)> {
    let arguments = route.arguments.iter();
    arguments
        .map(|argument| (argument.name, argument.source))
        .collect()
}

#[test]
fn a_resource_tells_its_name_base_path_and_routes() {
    assert_eq!(Users::NAME, "Users");
    assert_eq!(Users::BASE, "/users");
    let told: Vec<_> = Users::ROUTES
        .iter()
        .map(|route| {
            (
                route.id,
                route.verb.as_str(),
                route.template,
                route.operation,
            )
        })
        .collect();
    let expected = [
        (0, "GET", "/users/{id:[0-9]+}", "find"),
        (1, "POST", "/users", "save"),
        (2, "PUT", "/users", "save"),
        (3, "QUERY", "/users/by/{filter}/{*rest}", "query"),
        (4, "PATCH", "/users", "move"),
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_route_tells_its_path_parameters() {
    let params = |verb| {
        let params = route(verb).params.iter();
        let told = params.map(|param| (param.name, param.pattern, param.tail));
        told.collect::<Vec<_>>()
    };
    assert_eq!(params(Verb::Get), [("id", Some("[0-9]+"), false)]);
    assert_eq!(params(Verb::Post), []);
    let query = params(Verb::Other("QUERY"));
    assert_eq!(query, [("filter", None, false), ("rest", None, true)]);
    assert_eq!(route(Verb::Other("QUERY")).matcher, "/users/by/{p0}/{*p1}");
}

#[test]
fn a_route_tells_where_its_arguments_come_from() {
    let get = [
        ("id", Source::Path),
        ("verbose", Source::Param),
        ("depth", Source::Param),
        ("X-Agent", Source::Header),
        ("sid", Source::Cookie),
        ("fields", Source::Param),
    ];
    assert_eq!(names(route(Verb::Get)), get);
    let query = [
        ("filter", Source::Matrix),
        ("rest", Source::Path),
        ("count", Source::Value),
        ("region", Source::Value),
        ("body", Source::Stream),
        ("request", Source::Request),
    ];
    assert_eq!(names(route(Verb::Other("QUERY"))), query);
    assert_eq!(names(route(Verb::Patch)), [("text", Source::Body)]);
}

struct Each;

#[resource("/each")]
impl Each {
    #[get]
    #[delete("/{id}")]
    fn one(&self, id: Option<u64>) -> String {
        format!("{id:?}")
    }
}

#[tokio::test]
async fn each_verb_of_a_method_has_its_own_sources() {
    let told: Vec<_> = Each::ROUTES.iter().map(names).collect();
    assert_eq!(told, [[("id", Source::Param)], [("id", Source::Path)]]);
    let client = Client::new(App::new().mount("/", RestApi::new(Each))).unwrap();
    assert_eq!(client.get("/each?id=7").send().await.text(), "Some(7)");
    assert_eq!(client.delete("/each/8").send().await.text(), "Some(8)");
}

#[test]
fn arguments_tell_their_default_separator_and_type() {
    let [id, verbose, depth, _, _, fields] = route(Verb::Get).arguments else {
        panic!("six arguments")
    };
    assert_eq!((id.ty.name)(), "u64");
    assert_eq!((id.default, id.separator), (None, None));
    assert_eq!(verbose.default, Some("false"));
    assert_eq!(depth.default, Some("2 + 3"));
    assert_eq!(fields.separator, Some(","));
    assert_eq!((fields.ty.name)(), "alloc::vec::Vec<alloc::string::String>");
}

#[test]
fn responds_is_kept_with_status_type_and_words() {
    let told = |verb| {
        let responds = route(verb).responds.iter();
        let told = responds.map(|entry| {
            let ty = entry.ty.map(|ty| (ty.name)());
            (
                entry.status,
                ty.is_some_and(|name| name.ends_with("::User")),
                entry.description,
            )
        });
        told.collect::<Vec<_>>()
    };
    assert_eq!(
        told(Verb::Get),
        [(200, true, ""), (404, false, "no such user")]
    );
    assert_eq!(told(Verb::Post), [(201, true, "made")]);
    assert_eq!(told(Verb::Patch), []);
}

#[test]
fn security_of_the_resource_comes_before_that_of_the_method() {
    let bearer = Security {
        scheme: "bearer",
        scopes: &[],
    };
    let api_key = Security {
        scheme: "api_key",
        scopes: &["read", "list"],
    };
    assert_eq!(route(Verb::Get).security, [bearer, api_key]);
    assert_eq!(route(Verb::Patch).security, [bearer]);
}

#[test]
fn meta_of_the_method_wins_over_that_of_the_resource() {
    let get = route(Verb::Get);
    assert_eq!(get.meta("area"), Some(MetaValue::Text("people")));
    assert_eq!(get.meta("cached"), Some(MetaValue::Int(60)));
    assert_eq!(get.meta("weight"), Some(MetaValue::Float(0.5)));
    assert_eq!(get.meta("hot"), Some(MetaValue::Bool(true)));
    assert_eq!(get.meta("shift"), Some(MetaValue::Int(-3)));
    assert_eq!(get.meta("unknown"), None);
    assert_eq!(route(Verb::Patch).meta("cached"), Some(MetaValue::Int(30)));
}

#[test]
fn media_types_limits_and_detachment_are_kept() {
    let (get, post, patch) = (route(Verb::Get), route(Verb::Post), route(Verb::Patch));
    assert_eq!(get.produces, ["application/json"]);
    assert_eq!(post.consumes, ["application/json", "text/csv"]);
    assert_eq!(
        (post.body_limit, post.timeout),
        (Some(Limit::At(65_536)), Some(Limit::Off))
    );
    assert_eq!(
        (patch.body_limit, patch.timeout),
        (Some(Limit::Off), Some(Limit::At(5)))
    );
    assert_eq!((get.body_limit, get.timeout), (None, None));
    assert!(post.detached && !get.detached);
}

#[test]
fn docs_and_place_of_a_method_are_kept() {
    let get = route(Verb::Get);
    assert_eq!(get.docs, "Finds a user.\n\nReads the whole table.");
    assert_eq!(get.resource, "Users");
    let verb = include_str!("metadata.rs")
        .lines()
        .position(|line| line.trim() == r#"#[get("/{id:[0-9]+}")]"#)
        .unwrap();
    let (file, place) = get.declared_at.split_once(':').unwrap();
    assert!(file.ends_with("metadata.rs"), "{file}");
    assert_eq!(place, format!("{}:7", verb + 1));
}

struct Kinds;

#[derive(Debug, ApiError)]
#[api(status = 400)]
struct Wrong;

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("wrong")
    }
}

#[resource("/kinds")]
impl Kinds {
    #[get("/entity")]
    fn entity(&self) -> Result<Vec<u8>, Wrong> {
        Ok(Vec::new())
    }

    #[get("/text")]
    fn text(&self) -> Result<String, Wrong> {
        Ok(String::new())
    }

    #[get("/nothing")]
    fn nothing(&self) {}

    #[get("/anything")]
    fn anything(&self) -> Response {
        Response::ok()
    }

    #[get("/error")]
    fn error(&self) -> Wrong {
        Wrong
    }

    #[get("/late")]
    fn late(&self) -> Async<Vec<u8>> {
        Async::new(async { Vec::new() })
    }

    #[get("/octets")]
    fn octets(&self) -> Result<Bytes, Wrong> {
        Ok(Bytes::new())
    }

    #[get("/hidden")]
    fn hidden(&self) -> impl Serialize + use<> {
        7
    }
}

#[test]
fn a_route_tells_what_kind_of_reply_its_return_type_makes() {
    let told: Vec<_> = Kinds::ROUTES
        .iter()
        .map(|route| (route.operation, (route.returns.kind)()))
        .collect();
    let expected = [
        ("entity", ReplyKind::Entity),
        ("text", ReplyKind::Text),
        ("nothing", ReplyKind::Empty),
        ("anything", ReplyKind::Any),
        ("error", ReplyKind::Error),
        ("late", ReplyKind::Entity),
        ("octets", ReplyKind::Octets),
        ("hidden", ReplyKind::Any),
    ];
    assert_eq!(told, expected);
    let returns = Kinds::ROUTES[0].returns.ty;
    assert!((returns.name)().starts_with("core::result::Result<alloc::vec::Vec<u8>,"));
}

#[tokio::test]
async fn a_filter_reads_the_security_of_the_route_it_wraps() {
    let client = Client::new(App::new().mount("/", RestApi::new(Users))).unwrap();
    let refused = client
        .get("/users/7")
        .header("x-scopes", "read")
        .send()
        .await;
    assert_eq!(refused.status(), 403);
    let problem: serde_json::Value = refused.json().unwrap();
    assert_eq!(problem["detail"], "`list` is needed");
    let admitted = client
        .get("/users/7")
        .header("x-scopes", "read,list")
        .send()
        .await;
    assert_eq!(
        (admitted.status(), admitted.text().as_str()),
        (200, "{\"id\":7}")
    );
    let open = client
        .request(innkeeper_rest::Method::PATCH, "/users")
        .body("moved")
        .send()
        .await;
    assert_eq!((open.status(), open.text().as_str()), (200, "moved"));
}

/// Records the route of each request after the response is made.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<Option<&'static str>>>>);

impl Filter for Seen {
    async fn apply(&self, request: &mut Request, next: Next<'_>) -> Response {
        assert!(
            request.route().is_none(),
            "the application's filters run before routing"
        );
        let response = next.run(request).await;
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.push(request.route().map(|route| route.template));
        response
    }
}

#[tokio::test]
async fn filters_outside_routing_know_the_route_afterwards() {
    let seen = Seen::default();
    let app = App::new().filter(seen.clone()).filter(Trace);
    let client = Client::new(app.mount("/api", RestApi::new(Kinds))).unwrap();
    client.get("/api/kinds/text").send().await;
    client.get("/api/kinds/unknown").send().await;
    let seen = seen.0.lock().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(*seen, [Some("/kinds/text"), None]);
}

struct Cached;

#[resource("/cached")]
#[filter(filter::before(|request| {
    let seconds = request.route().and_then(|route| route.meta("cached"));
    request.values_mut().set_named("cached", format!("{seconds:?}"));
    Ok::<(), Rejection>(())
}))]
impl Cached {
    #[get]
    #[meta(cached = 60)]
    fn list(&self, #[value("cached")] cached: String, #[request] request: &Request) -> String {
        format!(
            "{cached} {}",
            request.route().map_or("", |route| route.operation)
        )
    }
}

#[tokio::test]
async fn custom_attributes_reach_filters_and_handlers() {
    let client = Client::new(App::new().mount("/", RestApi::new(Cached))).unwrap();
    assert_eq!(
        client.get("/cached").send().await.text(),
        "Some(Int(60)) list"
    );
}
