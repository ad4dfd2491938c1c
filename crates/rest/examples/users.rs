//! Users in memory: list with paging, get, create, update, delete.
//!
//! `cargo run -p innkeeper-rest --example users` listens on 127.0.0.1:8080, or on the port in `PORT`.
//! The README beside this folder has requests to try.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use innkeeper_rest::filter::{RequestIds, Trace};
use innkeeper_rest::{ApiError, App, Response, RestApi, Server, Stop, filter, location, resource};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize)]
struct User {
    id: u64,
    name: String,
    email: Option<String>,
}

/// The data that a client sends to create or replace a user.
#[derive(Debug, Deserialize)]
struct UserData {
    name: String,
    email: Option<String>,
}

/// The errors, each with a status.
#[derive(Debug, ApiError)]
enum UserError {
    #[api(status = 404)]
    NoSuchUser { id: u64 },
    #[api(status = 409)]
    EmailTaken { email: String },
    #[api(status = 422)]
    NameMissing,
}

impl fmt::Display for UserError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchUser { id } => write!(f, "there is no user {id}"),
            Self::EmailTaken { email } => write!(f, "{email} belongs to another user"),
            Self::NameMissing => f.write_str("a user needs a name"),
        }
    }
}

/// The resource; its state is the store.
#[derive(Debug, Default)]
struct Users {
    store: Mutex<Store>,
}

#[derive(Debug, Default)]
struct Store {
    users: BTreeMap<u64, User>,
    last_id: u64,
}

#[resource("/users")]
impl Users {
    /// Returns a page of users in the order of their creation.
    #[get]
    fn list(
        &self,
        #[param(default = 1)] page: usize,
        #[param(default = 10)] size: usize,
        name: Option<&str>,
    ) -> Vec<User> {
        let store = self.store();
        let wanted = |user: &&User| name.is_none_or(|name| user.name.contains(name));
        let skipped = page.saturating_sub(1).saturating_mul(size);
        let all = store.users.values().filter(wanted);
        all.skip(skipped).take(size).cloned().collect()
    }

    /// Returns a user.
    #[get("/{id}")]
    fn get(&self, id: u64) -> Result<User, UserError> {
        let store = self.store();
        let user = store.users.get(&id).cloned();
        user.ok_or(UserError::NoSuchUser { id })
    }

    /// Adds a user and returns its location.
    #[post]
    #[responds(201, User)]
    fn create(&self, data: UserData) -> Result<Response, UserError> {
        let mut store = self.store();
        store.check(None, &data)?;
        store.last_id += 1;
        let user = data.into_user(store.last_id);
        store.users.insert(user.id, user.clone());
        Ok(Response::created_at(location!("/users/{id}", user.id), ()).entity(user))
    }

    /// Replaces a user.
    #[put("/{id}")]
    fn update(&self, id: u64, data: UserData) -> Result<User, UserError> {
        let mut store = self.store();
        store.check(Some(id), &data)?;
        let known = store.users.get_mut(&id);
        let known = known.ok_or(UserError::NoSuchUser { id })?;
        *known = data.into_user(id);
        Ok(known.clone())
    }

    /// Removes a user.
    #[delete("/{id}")]
    fn delete(&self, id: u64) -> Result<(), UserError> {
        let removed = self.store().users.remove(&id);
        removed.map(drop).ok_or(UserError::NoSuchUser { id })
    }
}

impl Users {
    fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store {
    /// Checks whether this data is valid for the user `id`, or for a new one.
    fn check(&self, id: Option<u64>, data: &UserData) -> Result<(), UserError> {
        if data.name.trim().is_empty() {
            return Err(UserError::NameMissing);
        }
        let Some(email) = &data.email else {
            return Ok(());
        };
        let mut others = self.users.values().filter(|user| Some(user.id) != id);
        if others.any(|user| user.email.as_ref() == Some(email)) {
            return Err(UserError::EmailTaken {
                email: email.clone(),
            });
        }
        Ok(())
    }
}

impl UserData {
    fn into_user(self, id: u64) -> User {
        User {
            id,
            name: self.name,
            email: self.email,
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt().init();
    let port = match std::env::var_os("PORT") {
        Some(port) => port.to_string_lossy().parse()?,
        None => 8080_u16,
    };
    let server = Server::bind(("127.0.0.1", port))?.stop_on(Stop::on_signals());
    writeln!(
        std::io::stdout(),
        "listening on http://{}",
        server.address()
    )?;

    let users = RestApi::new(Users::default()).filter(filter::after(|response| {
        response.header("x-served-by", "users")
    }));
    let app = App::new()
        .filter(RequestIds::new())
        .filter(Trace)
        .mount("/", users);
    server.serve(app).await?;
    Ok(())
}
