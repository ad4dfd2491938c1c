//! Patterns, verbs, mounts, 404, 405.

use innkeeper_rest::testing::Client;
use innkeeper_rest::{App, Response, RestApi, resource};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, PartialEq)]
struct User {
    id: u64,
    name: String,
}

struct Users;

#[resource("/users")]
impl Users {
    #[get]
    fn list(&self, #[param(default = 10)] limit: u32, tag: Option<String>) -> Vec<String> {
        vec![limit.to_string(), tag.unwrap_or_default()]
    }

    #[get("/{id}")]
    async fn get(&self, id: u64) -> User {
        User {
            id,
            name: format!("User {id}"),
        }
    }

    #[post]
    async fn create(&self, user: User) -> Response {
        Response::created_at("/users/{id}", user.id).entity(user)
    }

    #[get("/{id}/name")]
    fn name(&self, id: &str) -> String {
        id.to_owned()
    }
}

fn client() -> Client {
    Client::new(App::new().mount("/api", RestApi::new(Users))).unwrap()
}

#[tokio::test]
async fn a_resource_answers_under_its_prefix() {
    let client = client();
    let response = client.get("/api/users/7").send().await;
    assert_eq!(response.status(), 200);
    assert_eq!(
        response.json::<User>().unwrap(),
        User {
            id: 7,
            name: "User 7".into()
        }
    );
    let response = client.get("/api/users?limit=3").send().await;
    assert_eq!(response.text(), r#"["3",""]"#);
    let response = client.get("/api/users/x").send().await;
    assert_eq!(response.status(), 400);
}
