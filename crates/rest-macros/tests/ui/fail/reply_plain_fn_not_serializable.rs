//! A value of a plain function that cannot be sent.

use innkeeper_rest::resource;

struct Users;

/// Implements nothing.
struct Seat;

#[resource("/users")]
impl Users {
    #[get]
    fn get(&self) -> Vec<Seat> {
        vec![Seat]
    }
}

fn main() {}
