//! A status beside the field's own.

use innkeeper_rest::ApiError;

#[derive(Debug, ApiError)]
enum UserError {
    #[api(transparent, status = 500)]
    Database(std::io::Error),
}

fn main() {}
