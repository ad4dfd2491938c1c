//! A local resource on a runtime that moves work between threads.

use innkeeper_rest::{App, RestApi, Server, resource};

struct Users;

#[resource("/users", local)]
impl Users {
    #[get]
    async fn list(&self) -> String {
        String::new()
    }
}

async fn serve(server: Server) {
    let app = App::new().mount("/", RestApi::new(Users));
    let _ = server.serve(app).await;
}

fn main() {}
