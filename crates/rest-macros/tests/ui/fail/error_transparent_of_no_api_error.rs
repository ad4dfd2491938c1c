//! A field that has no status to pass on.

use innkeeper_rest::ApiError;

#[derive(Debug, ApiError)]
enum UserError {
    #[api(transparent)]
    Database(std::io::Error),
}

impl std::fmt::Display for UserError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the database failed")
    }
}

fn main() {}
