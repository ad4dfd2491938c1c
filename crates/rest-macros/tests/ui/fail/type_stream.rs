//! A type that is no stream.

use innkeeper_rest::resource;

struct Users;

/// Implements nothing.
struct Seat;

#[resource("/users")]
impl Users {
    #[post]
    async fn create(&self, #[stream] seat: Seat) -> String {
        drop(seat);
        String::new()
    }
}

fn main() {}
