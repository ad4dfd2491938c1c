//! An error without words.

use innkeeper_rest::ApiError;

#[derive(Debug, ApiError)]
enum UserError {
    #[api(status = 404)]
    NotFound,
}

fn main() {}
