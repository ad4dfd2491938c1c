//! A status that is no error's.

use innkeeper_rest::ApiError;

#[derive(Debug, ApiError)]
enum UserError {
    #[api(status = 200)]
    NotFound,
}

fn main() {}
