//! Static files, from a directory or embedded in the program.

mod directory;
mod embedded;
mod escaping;
mod large;
mod loaded;
mod variants;

use std::fs;
use std::path::Path;

use innkeeper_rest::testing::{Client, TestResponse};
use innkeeper_rest::{App, Files};
use tempfile::TempDir;

/// Creates a directory with these files.
fn directory(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (path, text) in files {
        write(directory.path(), path, text);
    }
    directory
}

fn write(directory: &Path, path: &str, text: &str) {
    let path = directory.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn client(files: impl Into<Files>) -> Client {
    Client::new(App::new().files("/assets", files)).unwrap()
}

async fn get(client: &Client, path: &str, headers: &[(&str, &str)]) -> TestResponse {
    let request = client.get(path);
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(name, value)
    });
    request.send().await
}
