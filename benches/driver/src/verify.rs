//! Verifies that all servers do the same work before they are measured.

use std::io::{Read, Write};

use anyhow::{Context, Result, ensure};

use crate::Plan;
use crate::cases::Case;
use crate::process::Running;
use crate::server::Server;
use crate::wire::{Answer, connect};

/// Sends every request to every server, compares the responses, and prints which ones are identical.
pub(crate) fn all(plan: &Plan) -> Result<()> {
    let start = |&server| Running::start(&plan.places, server);
    let running: Vec<_> = plan.servers.iter().map(start).collect::<Result<_>>()?;
    let mut reordered = Vec::new();
    for case in &plan.cases {
        let mut first: Option<Answer> = None;
        for server in &running {
            let answer = check(server, case)
                .with_context(|| format!("{} answers {} wrongly", server.server, case.name))?;
            match &first {
                None => first = Some(answer),
                Some(first) if *first == answer => {}
                Some(_) if reordered.contains(&server.server) => {}
                Some(_) => reordered.push(server.server),
            }
        }
    }
    for server in running {
        server.stop()?;
    }
    report(&plan.servers, &reordered);
    Ok(())
}

fn report(servers: &[Server], reordered: &[Server]) {
    let names = |servers: &mut dyn Iterator<Item = &Server>| {
        servers
            .map(|server| server.name())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let same = names(&mut servers.iter().filter(|server| !reordered.contains(server)));
    println!("answers byte-identical but for the date: {same}");
    if !reordered.is_empty() {
        let others = names(&mut reordered.iter());
        println!("same status, headers, body and length, headers in another order: {others}");
    }
}

/// Returns the response of one server, which must be the expected one.
fn check(server: &Running, case: &Case) -> Result<Answer> {
    let answer = Answer::fetch(server.address, &case.request)?;
    ensure!(
        answer.status == case.status,
        "status line {:?}",
        answer.status
    );
    ensure!(
        answer.body == case.body,
        "body {:?}, expected {:?}",
        answer.body,
        case.body
    );
    let expected: Vec<_> = case
        .headers
        .iter()
        .map(|(name, value)| (*name, &**value))
        .collect();
    let headers = answer.sorted_headers();
    ensure!(
        headers == expected,
        "headers {headers:?}, expected {expected:?}"
    );
    ensure!(answer.has_date(), "no date");
    if case.depth > 1 {
        check_pipelined(server, case, &answer)?;
    }
    Ok(answer)
}

fn check_pipelined(server: &Running, case: &Case, single: &Answer) -> Result<()> {
    let mut stream = connect(server.address)?;
    stream.write_all(&case.batch())?;
    let mut raw = vec![0; single.length * case.depth];
    stream
        .read_exact(&mut raw)
        .context("reading pipelined answers")?;
    for one in raw.chunks(single.length) {
        let same = Answer::parse(one)?.is_some_and(|answer| answer == *single);
        ensure!(
            same,
            "a pipelined answer differs: {:?}",
            String::from_utf8_lossy(one)
        );
    }
    Ok(())
}
