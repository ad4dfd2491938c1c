//! actix-web as its documentation shows it, with the deadlines of the other servers.
//!
//! Its JSON limit is 2 MiB by default. The handlers add the two common headers, which is
//! cheaper than the middleware for it.

use actix_web::http::header::{CACHE_CONTROL, ContentType, VARY, X_CONTENT_TYPE_OPTIONS};
use actix_web::{App, HttpResponse, HttpResponseBuilder, HttpServer, web};
use anyhow::Result;
use bench_common::{Account, HEAD_TIMEOUT, KEEP_ALIVE, Profile, Search, Settings};

#[actix_web::main]
async fn main() -> Result<()> {
    let settings = Settings::read()?;
    let app = || {
        App::new()
            .route("/plaintext", web::get().to(plaintext))
            .route("/users", web::post().to(echo))
            .route("/users/{id}", web::get().to(user))
            .route("/search", web::get().to(search))
    };
    // SIGTERM stops the server; one second is enough to close connections.
    HttpServer::new(app)
        .workers(settings.threads)
        .client_request_timeout(HEAD_TIMEOUT)
        .keep_alive(KEEP_ALIVE)
        .tcp_nodelay(true)
        .shutdown_timeout(1)
        .bind(settings.address)?
        .run()
        .await?;
    Ok(())
}

fn ok() -> HttpResponseBuilder {
    let mut answer = HttpResponse::Ok();
    answer
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((CACHE_CONTROL, "no-cache"));
    answer
}

async fn plaintext() -> HttpResponse {
    ok().insert_header(ContentType::plaintext())
        .insert_header((VARY, "accept"))
        .body("Hello, World!")
}

async fn user(id: web::Path<u64>) -> HttpResponse {
    ok().json(Profile::of(id.into_inner()))
}

async fn echo(account: web::Json<Account>) -> HttpResponse {
    ok().json(account.into_inner())
}

async fn search(search: web::Query<Search>) -> HttpResponse {
    ok().json(search.into_inner())
}
