//! A variant without a status.

use innkeeper_rest::ApiError;

#[derive(Debug, ApiError)]
enum UserError {
    #[api(status = 404)]
    NotFound,
    EmailTaken,
}

fn main() {}
