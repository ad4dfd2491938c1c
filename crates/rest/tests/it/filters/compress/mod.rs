//! Compressed responses and requests.

mod building;
mod levels;
mod policy;
mod requests;
mod streams;
mod tags;

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use innkeeper_rest::testing::{Client, TestResponse};

/// Returns text that is worth compressing.
fn page() -> String {
    let lines = (0..200).map(|line| format!("line {line} of many"));
    lines.collect::<Vec<_>>().join(
        "
",
    )
}

fn gunzip(bytes: &[u8]) -> String {
    let mut text = String::new();
    MultiGzDecoder::new(bytes)
        .read_to_string(&mut text)
        .unwrap();
    text
}

fn unbrotli(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut decoder = brotli::Decompressor::new(bytes, 4096);
    decoder.read_to_string(&mut text).unwrap();
    text
}

fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}

fn to_brotli(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = brotli::CompressorWriter::new(Vec::new(), 4096, 4, 20);
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.into_inner()
}

async fn get(client: &Client, path: &str, accepted: &str) -> TestResponse {
    let request = client.get(path).header("accept-encoding", accepted);
    request.send().await
}

/// Returns the coding of a response and its decoded content.
fn plain(response: &TestResponse) -> (Option<&str>, String) {
    let coding = response.header("content-encoding");
    let text = match coding {
        Some("gzip") => gunzip(response.bytes()),
        Some("br") => unbrotli(response.bytes()),
        _ => response.text(),
    };
    (coding, text)
}

/// Returns the `Vary` headers of a response in one line.
fn vary(response: &TestResponse) -> String {
    let lines = response.headers().get_all("vary").iter();
    let lines: Vec<&str> = lines.map(|line| line.to_str().unwrap()).collect();
    lines.join(", ")
}
