//! Filters at all four levels, and three ways to authenticate.
//!
//! `cargo run -p innkeeper-rest --example filters` listens on 127.0.0.1:8080, or on the port in `PORT`.
//! Try:
//!
//! ```sh
//! curl -i http://127.0.0.1:8080/public/rooms
//! curl -i http://127.0.0.1:8080/public/rooms -H 'Origin: https://shop.example'
//! curl -i http://127.0.0.1:8080/desk/bookings
//! curl -i http://127.0.0.1:8080/desk/bookings -H 'Authorization: Bearer t-ada'
//! curl -i -X DELETE http://127.0.0.1:8080/desk/bookings -H 'Authorization: Bearer t-ada'
//! curl -i -X DELETE http://127.0.0.1:8080/desk/bookings -H 'Authorization: Bearer t-root'
//! curl -i http://127.0.0.1:8080/partners/availability -H 'X-API-Key: k-5f2a91'
//! ```

use std::io::Write as _;
use std::sync::Mutex;

use innkeeper_rest::filter::{
    ApiKey, Bearer, Cors, Quota, RateLimit, RequestIds, SecurityHeaders, StaticKeys, Timing, Trace,
};
use innkeeper_rest::{App, Filter, Rejection, RestApi, Server, StatusCode, Stop, filter, resource};

type Failure = Box<dyn std::error::Error>;

/// The clerk that a token belongs to.
#[derive(Debug, Clone)]
struct Clerk {
    name: &'static str,
    admin: bool,
}

/// The partner that a key belongs to.
#[derive(Debug, Clone)]
struct Partner(&'static str);

/// Looks up a token; `Ok(None)` is 401 with a challenge.
async fn session(token: String) -> Result<Option<Clerk>, Rejection> {
    Ok(match token.as_str() {
        "t-ada" => Some(Clerk {
            name: "ada",
            admin: false,
        }),
        "t-root" => Some(Clerk {
            name: "root",
            admin: true,
        }),
        _ => None,
    })
}

/// Checks the scopes that the `#[security]` of the method requires.
fn scopes() -> impl Filter {
    filter::before(|request| {
        let mut needed = request.route().into_iter().flat_map(|route| route.security);
        let is_admin = request
            .values()
            .get::<Clerk>()
            .is_some_and(|clerk| clerk.admin);
        if needed.any(|security| security.scopes.contains(&"admin")) && !is_admin {
            let text = "this is for admins";
            return Err(Rejection::new(StatusCode::FORBIDDEN, "forbidden", text));
        }
        Ok(())
    })
}

/// Public.
struct Rooms;

#[resource("/rooms")]
impl Rooms {
    #[get]
    fn list(&self) -> Vec<&'static str> {
        vec!["attic", "cellar"]
    }

    /// Searches rooms. A search is slow, so each client may send five a minute.
    #[get("/search")]
    #[filter(search_limit())]
    fn search(&self, word: &str) -> Vec<&'static str> {
        let rooms = self.list().into_iter();
        rooms.filter(|room| room.contains(word)).collect()
    }
}

#[expect(clippy::expect_used, reason = "the setting is written here")]
fn search_limit() -> RateLimit {
    let limit = RateLimit::builder(Quota::per_minute(5)).name("search");
    limit.build().expect("a quota above zero")
}

/// Requires the token of a clerk.
#[derive(Default)]
struct Bookings {
    guests: Mutex<Vec<String>>,
}

#[resource("/bookings")]
#[filter(scopes())]
impl Bookings {
    #[get]
    fn list(&self, #[value] clerk: Clerk) -> Vec<String> {
        let mut lines = vec![format!("shown to {}", clerk.name)];
        lines.extend(self.lock().iter().cloned());
        lines
    }

    #[post]
    fn add(&self, guest: String) {
        self.lock().push(guest);
    }

    #[delete]
    #[security(bearer("admin"))]
    fn clear(&self) {
        self.lock().clear();
    }
}

impl Bookings {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        let guests = self.guests.lock();
        guests.unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Requires the key of a partner.
struct Availability;

#[resource("/availability")]
impl Availability {
    #[get]
    fn show(&self, #[value] partner: Partner) -> String {
        format!("rooms for {}", partner.0)
    }
}

pub(crate) fn app() -> Result<App, Failure> {
    let cors = Cors::builder()
        .origins(["https://shop.example", "http://localhost:*"])
        .build()?;
    let limit = RateLimit::builder(Quota::per_minute(120)).build()?;
    let keys = StaticKeys::new([("k-5f2a91", Partner("north"))])?;
    let public = RestApi::new(Rooms).filter(cors).filter(limit);
    let desk = RestApi::new(Bookings::default()).filter(Bearer::new(session));
    let partners = RestApi::new(Availability).filter(ApiKey::in_header("x-api-key", keys)?);
    Ok(App::new()
        .filter(RequestIds::new())
        .filter(Trace)
        .filter(SecurityHeaders::new())
        .filter(Timing::new())
        .mount("/public", public)
        .mount("/desk", desk)
        .mount("/partners", partners))
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    tracing_subscriber::fmt().init();
    let port = match std::env::var_os("PORT") {
        Some(port) => port.to_string_lossy().parse()?,
        None => 8080_u16,
    };
    let server = Server::bind(("127.0.0.1", port))?.stop_on(Stop::on_signals());
    let address = server.address();
    writeln!(std::io::stdout(), "listening on http://{address}")?;
    server.serve(app()?).await?;
    Ok(())
}
