//! A misspelt setting.

use innkeeper_rest::ApiError;

#[derive(Debug, ApiError)]
enum UserError {
    #[api(state = 404)]
    NotFound,
}

fn main() {}
