//! The smallest server: `cargo run -p innkeeper-rest --example hello`, then
//! `curl http://127.0.0.1:8080/hello/Ada`.

use innkeeper_rest::{App, RestApi, ServeError, Server, resource};

struct Hello {
    greeting: &'static str,
}

#[resource("/hello")]
impl Hello {
    #[get("/{name}")]
    fn greet(&self, name: &str) -> String {
        format!("{}, {name}!\n", self.greeting)
    }
}

#[tokio::main]
async fn main() -> Result<(), ServeError> {
    let hello = Hello { greeting: "Hello" };
    let app = App::new().mount("/", RestApi::new(hello));
    Server::bind("127.0.0.1:8080")?.serve(app).await
}
