//! A type that cannot be read from a header.

use innkeeper_rest::resource;

struct Users;

/// Implements nothing.
struct Seat;

#[resource("/users")]
impl Users {
    #[get]
    async fn list(&self, #[header("X-Seat")] seat: Option<Seat>) -> String {
        drop(seat);
        String::new()
    }
}

fn main() {}
