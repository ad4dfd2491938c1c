//! The framework under another name, and its attributes by their full path.

extern crate innkeeper_rest as web;

use std::fmt;

use web::{ApiError, Response, RestApi};

use super::{client, get, ok};

struct Rooms;

#[derive(Debug, ApiError)]
#[api(crate = "web")]
enum RoomError {
    #[api(status = 404)]
    NoSuchRoom,
    #[api(transparent)]
    Door(DoorError),
}

#[derive(Debug, ApiError)]
#[api(crate = web, status = 409, code = "locked")]
struct DoorError;

impl fmt::Display for RoomError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchRoom => f.write_str("no such room"),
            Self::Door(error) => write!(f, "{error}"),
        }
    }
}

impl fmt::Display for DoorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the door is locked")
    }
}

#[web::resource("/rooms", crate = "web")]
impl Rooms {
    #[web::get("/{number}")]
    #[web::responds(200, String)]
    async fn room(
        &self,
        number: u32,
        #[separated_by(",")] beds: Vec<u32>,
    ) -> Result<String, RoomError> {
        match number {
            7 => Ok(format!("{beds:?}")),
            8 => Err(RoomError::Door(DoorError)),
            _ => Err(RoomError::NoSuchRoom),
        }
    }

    #[web::post]
    async fn build(&self, number: u32) -> Response {
        Response::created_at(web::location!("/rooms/{number}", number), ())
    }
}

#[tokio::test]
async fn a_resource_works_under_a_renamed_dependency() {
    let client = client(RestApi::new(Rooms));
    assert_eq!(get(&client, "/rooms/7?beds=1,2").await, ok("[1, 2]"));
    let built = client.post("/rooms").json(&9).send().await;
    assert_eq!(built.status(), 201);
    assert_eq!(built.header("location"), Some("/rooms/9"));
}

#[tokio::test]
async fn derived_errors_work_under_a_renamed_dependency() {
    let client = client(RestApi::new(Rooms));
    for (target, status, code, detail) in [
        ("/rooms/8", 409, "locked", "the door is locked"),
        ("/rooms/9", 404, "no_such_room", "no such room"),
    ] {
        let response = client.get(target).send().await;
        assert_eq!(response.status(), status);
        let problem: serde_json::Value = response.json().unwrap();
        assert_eq!(problem["code"], code);
        assert_eq!(problem["detail"], detail);
    }
}
