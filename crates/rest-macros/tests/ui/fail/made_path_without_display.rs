//! A type that can be read from a path and not be written into one.

use innkeeper_rest::resource;
use std::convert::Infallible;
use std::str::FromStr;

struct Seat;

impl FromStr for Seat {
    type Err = Infallible;
    fn from_str(_: &str) -> Result<Self, Infallible> {
        Ok(Self)
    }
}

struct Users;

#[resource("/users")]
impl Users {
    #[get("/{seat}")]
    fn get(&self, seat: Seat) -> String {
        drop(seat);
        String::new()
    }
}

fn main() {
    let _ = Users::get_path(Seat);
}
