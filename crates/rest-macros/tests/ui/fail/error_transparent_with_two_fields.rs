//! Two fields to be transparent about.

use innkeeper_rest::ApiError;

#[derive(Debug, ApiError)]
enum UserError {
    #[api(transparent)]
    Database(std::io::Error, u64),
}

fn main() {}
