//! A resource in JSON, CBOR and MessagePack, as the client accepts and sends, with validated bookings
//! and links that are generated from handlers.
//!
//! `cargo run -p innkeeper-rest --example negotiation --features cbor,msgpack,validation`, then
//!
//! ```sh
//! curl http://127.0.0.1:8080/bookings/1
//! curl http://127.0.0.1:8080/bookings/1 -H 'Accept: application/cbor' | xxd
//! curl http://127.0.0.1:8080/bookings/1 -H 'Accept: application/msgpack' | xxd
//! printf '\xa2\x65guest\x63Ada\x66nights\x02' | curl -i http://127.0.0.1:8080/bookings \
//!     -H 'Content-Type: application/cbor' --data-binary @-
//! curl -i http://127.0.0.1:8080/bookings -H 'Content-Type: application/json' \
//!     -d '{"guest":"","nights":99}'
//! ```

use std::io::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use garde::Validate;
use innkeeper_rest::{
    App, Cbor, MessagePack, Response, RestApi, Server, StatusCode, Stop, resource,
};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize, Validate)]
struct Booking {
    #[garde(length(chars, min = 1, max = 50))]
    guest: String,
    #[garde(range(min = 1, max = 30))]
    nights: u32,
}

/// A booking and its path.
#[derive(Debug, Serialize)]
struct Entry {
    link: String,
    booking: Booking,
}

struct Bookings {
    all: Mutex<Vec<Booking>>,
}

#[resource("/bookings")]
impl Bookings {
    /// Returns a page of bookings.
    #[get]
    fn list(
        &self,
        #[param(default = 10)]
        #[validate(range(min = 1, max = 100))]
        limit: usize,
    ) -> Vec<Entry> {
        let all = self.all();
        let entries = all.iter().enumerate().take(limit);
        entries
            .map(|(index, booking)| Entry {
                link: Self::get_path(index + 1).to_string(),
                booking: booking.clone(),
            })
            .collect()
    }

    /// Returns a booking.
    #[get("/{number}")]
    fn get(&self, number: usize) -> Result<Booking, StatusCode> {
        let index = number.checked_sub(1).ok_or(StatusCode::NOT_FOUND)?;
        let booking = self.all().get(index).cloned();
        booking.ok_or(StatusCode::NOT_FOUND)
    }

    /// Adds a valid booking.
    #[post]
    fn book(&self, booking: Booking) -> Response {
        let mut all = self.all();
        all.push(booking.clone());
        Response::created_at(Self::get_path(all.len()), ()).entity(booking)
    }
}

impl Bookings {
    fn all(&self) -> MutexGuard<'_, Vec<Booking>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port = match std::env::var_os("PORT") {
        Some(port) => port.to_string_lossy().parse()?,
        None => 8080_u16,
    };
    let server = Server::bind(("127.0.0.1", port))?.stop_on(Stop::on_signals());
    writeln!(
        std::io::stdout(),
        "listening on http://{}",
        server.address()
    )?;
    let first = Booking {
        guest: "Ada".to_owned(),
        nights: 2,
    };
    let bookings = Bookings {
        all: Mutex::new(vec![first]),
    };
    let api = RestApi::new(bookings).register(Cbor).register(MessagePack);
    server.serve(App::new().mount("/", api)).await?;
    Ok(())
}
