//! A guest book in PostgreSQL.
//!
//! `DATABASE_URL=postgresql://… cargo run -p innkeeper-rest --example with_postgresql` creates its table
//! and listens on 127.0.0.1:8080, or on the port in `PORT`. Try:
//!
//! ```sh
//! curl -i http://127.0.0.1:8080/guests -H 'Content-Type: application/json' -d '{"name":"Ada","nights":2}'
//! curl 'http://127.0.0.1:8080/guests?least=2'
//! curl -X DELETE http://127.0.0.1:8080/guests/1
//! ```
//!
//! One connection serves all handlers: tokio-postgres pipelines statements. Transactions need a
//! connection of their own, from a pool such as deadpool-postgres.

use std::fmt;
use std::io::Write as _;
use std::sync::Arc;

use innkeeper_rest::{ApiError, App, Response, RestApi, Server, Stop, location, resource};
use serde::{Deserialize, Serialize};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Row};

#[derive(Debug, Serialize)]
struct Guest {
    id: i64,
    name: String,
    nights: i32,
}

impl Guest {
    fn of(row: &Row) -> Result<Self, tokio_postgres::Error> {
        Ok(Self {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            nights: row.try_get("nights")?,
        })
    }
}

#[derive(Debug, Deserialize)]
struct GuestData {
    name: String,
    nights: i32,
}

/// The errors, each with a status. The text of a 5xx is logged and not sent.
#[derive(Debug, ApiError)]
enum GuestError {
    #[api(status = 404)]
    NoSuchGuest { id: i64 },
    #[api(status = 409)]
    NameTaken,
    #[api(status = 422)]
    NoNights,
    #[api(status = 503)]
    DatabaseUnavailable(tokio_postgres::Error),
}

impl fmt::Display for GuestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchGuest { id } => write!(f, "there is no guest {id}"),
            Self::NameTaken => f.write_str("a guest of this name is here already"),
            Self::NoNights => f.write_str("a guest stays for at least a night"),
            Self::DatabaseUnavailable(error) => write!(f, "{error}"),
        }
    }
}

/// Violated constraints are errors of the client; any other error is internal.
impl From<tokio_postgres::Error> for GuestError {
    fn from(error: tokio_postgres::Error) -> Self {
        match error.code() {
            Some(&SqlState::UNIQUE_VIOLATION) => Self::NameTaken,
            Some(&SqlState::CHECK_VIOLATION) => Self::NoNights,
            _ => Self::DatabaseUnavailable(error),
        }
    }
}

struct Guests {
    database: Arc<Client>,
}

#[resource("/guests")]
impl Guests {
    /// Returns the guests who stay at least this many nights, by name.
    #[get]
    async fn list(&self, #[param(default = 1)] least: i32) -> Result<Vec<Guest>, GuestError> {
        let sql = "select id, name, nights from guests where nights >= $1 order by name";
        let rows = self.database.query(sql, &[&least]).await?;
        let guests = rows.iter().map(Guest::of).collect::<Result<_, _>>()?;
        Ok(guests)
    }

    /// Returns a guest.
    #[get("/{id}")]
    async fn get(&self, id: i64) -> Result<Guest, GuestError> {
        let sql = "select id, name, nights from guests where id = $1";
        match self.database.query_opt(sql, &[&id]).await? {
            Some(row) => Ok(Guest::of(&row)?),
            None => Err(GuestError::NoSuchGuest { id }),
        }
    }

    /// Adds a guest.
    #[post]
    #[responds(201, Guest)]
    async fn create(&self, data: GuestData) -> Result<Response, GuestError> {
        let sql = "insert into guests (name, nights) values ($1, $2) returning id, name, nights";
        let values: [&(dyn ToSql + Sync); 2] = [&data.name, &data.nights];
        let guest = Guest::of(&self.database.query_one(sql, &values).await?)?;
        Ok(Response::created_at(location!("/guests/{id}", guest.id), ()).entity(guest))
    }

    /// Removes a guest.
    #[delete("/{id}")]
    async fn delete(&self, id: i64) -> Result<(), GuestError> {
        let sql = "delete from guests where id = $1";
        match self.database.execute(sql, &[&id]).await? {
            0 => Err(GuestError::NoSuchGuest { id }),
            _ => Ok(()),
        }
    }
}

/// Connects and creates the table if it does not exist.
pub(crate) async fn connect(url: &str) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::error!(%error, "the connection to the database has ended");
        }
    });
    client
        .batch_execute(
            "create table if not exists guests (
                 id bigint generated always as identity primary key,
                 name text not null unique,
                 nights integer not null check (nights > 0)
             )",
        )
        .await?;
    Ok(client)
}

pub(crate) fn app(database: Client) -> App {
    let database = Arc::new(database);
    App::new().mount("/", RestApi::new(Guests { database }))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    tracing_subscriber::fmt().init();
    let url = std::env::var_os("DATABASE_URL").ok_or("DATABASE_URL is not set")?;
    let port = match std::env::var_os("PORT") {
        Some(port) => port.to_string_lossy().parse()?,
        None => 8080_u16,
    };
    let database = connect(&url.to_string_lossy()).await?;
    let server = Server::bind(("127.0.0.1", port))?.stop_on(Stop::on_signals());
    let address = server.address();
    writeln!(std::io::stdout(), "listening on http://{address}")?;
    server.serve(app(database)).await?;
    Ok(())
}
