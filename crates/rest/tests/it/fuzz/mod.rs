//! Both HTTP/1.1 paths of the server, the fast path and hyper, give the same answers to the same bytes, and the
//! request that follows on the connection gets its own answer or none.
//!
//! `make test` sends the seeds, the finds and a few thousand mutations; `make fuzz-http` sends mutations for ten
//! minutes, or as many seconds as `FUZZ_SECONDS` says. A find goes into [`seeds::FOUND`], and its fix into the server.

pub(crate) mod mutate;
mod paths;
pub(crate) mod seeds;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use self::mutate::{Random, mutate};
use self::paths::{Difference, Paths};
use self::seeds::{FOUND, SEEDS};

/// Connections that are open at the same time.
const CONCURRENCY: usize = 32;

fn all_seeds() -> Vec<&'static [u8]> {
    SEEDS.into_iter().chain(FOUND).collect()
}

/// Sends requests down both paths until there are no more, and returns what was answered differently.
async fn compare(
    paths: &Arc<Paths>,
    mut requests: impl Iterator<Item = Vec<u8>>,
) -> (usize, Vec<Difference>) {
    let (mut running, mut count, mut differences) = (JoinSet::new(), 0, Vec::new());
    loop {
        while running.len() < CONCURRENCY
            && let Some(request) = requests.next()
        {
            let paths = Arc::clone(paths);
            running.spawn(async move { paths.compare(&request).await });
        }
        let Some(compared) = running.join_next().await else {
            return (count, differences);
        };
        count += 1;
        differences.extend(compared.unwrap());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_paths_answer_every_seed_alike() {
    let paths = Arc::new(Paths::start());
    let seeds = all_seeds().into_iter().map(<[u8]>::to_vec);
    let (_, differences) = compare(&paths, seeds).await;
    assert!(differences.is_empty(), "{differences:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_paths_answer_mutated_requests_alike() {
    let paths = Arc::new(Paths::start());
    let (mut random, seeds) = (Random::new(1), all_seeds());
    let requests = (0..2000).map(|_| {
        let seed = random.choose(&seeds);
        mutate(&mut random, seed, &seeds)
    });
    let (count, differences) = compare(&paths, requests).await;
    assert_eq!(count, 2000);
    assert!(differences.is_empty(), "{differences:#?}");
}

/// `FUZZ_SECONDS` says how long, and `FUZZ_SEED`, which is printed, repeats the requests.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes; make fuzz-http runs it"]
#[expect(clippy::print_stdout, reason = "it prints the seed and figures")]
async fn both_paths_answer_alike_for_as_long_as_asked() {
    let number = |name| std::env::var_os(name)?.to_str()?.parse().ok();
    let seconds = number("FUZZ_SECONDS").unwrap_or(600);
    let seed = number("FUZZ_SEED").unwrap_or_else(|| {
        let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        now.as_secs()
    });
    println!("FUZZ_SEED={seed}, for {seconds} s");
    let paths = Arc::new(Paths::start());
    let (mut random, seeds, start) = (Random::new(seed), all_seeds(), Instant::now());
    let requests = std::iter::from_fn(|| {
        let is_over = start.elapsed() > Duration::from_secs(seconds);
        let seed = random.choose(&seeds);
        (!is_over).then(|| mutate(&mut random, seed, &seeds))
    });
    let (count, differences) = compare(&paths, requests).await;
    println!("{count} requests, {} differences", differences.len());
    assert!(differences.is_empty(), "{differences:#?}");
}

/// Whatever a request says about its length, bytes of its body are not taken for another request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_is_smuggled_in_a_body() {
    let paths = Paths::start();
    let smuggled = b"GET /echo/smuggled HTTP/1.1\r\nHost: test\r\n\r\n";
    let head = "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Type: text/plain\r\n";
    let length = smuggled.len();
    let chunked = format!("{length:x}\r\n{}\r\n0\r\n\r\n", smuggled.escape_ascii());
    let chunked = chunked.replace("\\r", "\r").replace("\\n", "\n");
    for headers in [
        format!("Content-Length: {length}\r\nContent-Length: 0\r\n"),
        format!("Content-Length: 0\r\nContent-Length: {length}\r\n"),
        format!("Content-Length: {length}, 0\r\n"),
        format!("Content-Length: {length}\r\nTransfer-Encoding: identity\r\n"),
        format!("Content-Length : 0\r\nContent-Length: {length}\r\n"),
        format!("Content-Length: {length}\r\nX: y\r\n Content-Length: 0\r\n"),
        format!("Content-Length: {length}\r\nConnection: content-length\r\n"),
        format!("Content-Length: {length}\r\nX-Content-Length: 0\r\nContent_Length: 0\r\n"),
        format!("content-length: {length}\r\nExpect: 100-continue\r\n"),
    ] {
        let request = [format!("{head}{headers}\r\n").as_bytes(), smuggled].concat();
        paths.assert_not_smuggled(&request).await;
    }
    for headers in [
        "Transfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: CHUNKED\r\nContent-Length: 0\r\n",
        "Transfer-Encoding:chunked\r\nContent-Length: 0\r\n",
    ] {
        let request = format!("{head}{headers}\r\n{chunked}");
        paths.assert_not_smuggled(request.as_bytes()).await;
    }
}
