//! Static files of actix-web, as its documentation shows.

use actix_files::Files;
use actix_web::{App, HttpServer};
use anyhow::Result;
use bench_common::{HEAD_TIMEOUT, KEEP_ALIVE, Settings, root};

#[actix_web::main]
async fn main() -> Result<()> {
    let settings = Settings::read()?;
    let root = root()?;
    let app = move || App::new().service(Files::new("/files", &root));
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
