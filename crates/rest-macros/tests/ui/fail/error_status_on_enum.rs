//! One status for all variants.

use innkeeper_rest::ApiError;

#[derive(Debug, ApiError)]
#[api(status = 404)]
enum UserError {
    #[api(status = 404)]
    NotFound,
}

fn main() {}
