//! A union.

use innkeeper_rest::ApiError;

#[derive(ApiError)]
union UserError {
    code: u8,
}

fn main() {}
