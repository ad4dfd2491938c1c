//! A template that is not known when it is compiled.

use innkeeper_rest::location;

fn main() {
    let _ = location!(path, 7);
}
