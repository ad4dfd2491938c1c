//! A type that is no text.

use innkeeper_rest::resource;

struct Users;

/// Implements nothing.
struct Seat;

#[resource("/users")]
impl Users {
    #[post]
    async fn create(&self, #[body] seat: Seat) -> String {
        drop(seat);
        String::new()
    }
}

fn main() {}
