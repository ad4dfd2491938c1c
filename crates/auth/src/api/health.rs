//! `GET /health`: whether the server answers. It needs no database.

use innkeeper_rest::resource;
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) struct Health;

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Health")]
struct Report {
    version: &'static str,
    /// Clients look for this name.
    name: &'static str,
    server: &'static str,
    description: &'static str,
}

#[resource("/health")]
impl Health {
    /// Says that the server is up.
    #[get]
    fn show(&self) -> Report {
        Report {
            version: crate::VERSION,
            name: "GoTrue",
            server: "innkeeper",
            description: "Innkeeper auth is a user registration and authentication API",
        }
    }
}
