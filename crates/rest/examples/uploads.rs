//! Uploads: files of a multipart form are streamed into a folder while they arrive.
//!
//! ```text
//! cargo run -p innkeeper-rest --example uploads
//! curl -F note=holiday -F picture=@beach.jpg http://127.0.0.1:8080/uploads
//! ```
//!
//! However large a file is, only the chunk that has just arrived is in memory, and other requests are
//! answered meanwhile.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use innkeeper_rest::{App, Multipart, Part, Rejection, Response, RestApi, Server, Stop, resource};
use serde::Serialize;
use tokio::fs::File;
use tokio::io::AsyncWriteExt;

/// The folder of uploads, and the number of files in it.
struct Uploads {
    folder: PathBuf,
    count: AtomicU64,
}

/// A stored file.
#[derive(Debug, Serialize)]
struct Stored {
    id: u64,
    /// The name of the file on the client.
    name: String,
    bytes: u64,
}

#[resource("/uploads")]
impl Uploads {
    /// Stores every file of a form. Other fields are skipped.
    #[post]
    #[body_limit(1024 * 1024 * 1024)]
    #[timeout(none)]
    async fn upload(&self, #[stream] mut form: Multipart) -> Result<Response, Rejection> {
        let mut stored = Vec::new();
        while let Some(part) = form.next_part().await? {
            let Some(name) = part.file_name().map(str::to_owned) else {
                continue;
            };
            let id = self.count.fetch_add(1, Ordering::Relaxed) + 1;
            // A name from a client is not a safe path: the file gets a name of our own.
            let bytes = store(part, &self.folder.join(format!("{id}.upload"))).await?;
            stored.push(Stored { id, name, bytes });
        }
        Ok(Response::created().entity(stored))
    }

    /// Returns the number of files.
    #[get("/count")]
    fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }
}

/// Writes a part to a file, chunk by chunk; an incomplete file is removed.
async fn store(mut part: Part, path: &Path) -> Result<u64, Rejection> {
    let mut file = File::create(path).await?;
    let mut bytes = 0;
    loop {
        match part.next_chunk().await {
            Ok(Some(chunk)) => {
                file.write_all(&chunk).await?;
                bytes += chunk.len() as u64;
            }
            Ok(None) => break,
            Err(refusal) => {
                tokio::fs::remove_file(path).await?;
                return Err(refusal);
            }
        }
    }
    file.flush().await?;
    Ok(bytes)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join("innkeeper-uploads");
    tokio::fs::create_dir_all(&folder).await?;
    let uploads = Uploads {
        folder,
        count: AtomicU64::new(0),
    };
    let app = App::new().mount("/", RestApi::new(uploads));
    let server = Server::bind("127.0.0.1:8080")?.stop_on(Stop::on_signals());
    server.serve(app).await?;
    Ok(())
}
