//! A type that is mounted without being a resource.

use innkeeper_rest::RestApi;

struct Users;

fn main() {
    let _ = RestApi::new(Users);
}
