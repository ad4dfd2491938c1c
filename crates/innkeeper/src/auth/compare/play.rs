//! Plays the script against a server.

use innkeeper_service::clock::Clock;
use reqwest::header::LOCATION;
use serde_json::Value;
use uuid::Uuid;

use super::normalise::Normaliser;
use super::recording::{Answer, Recording};
use super::script::{Case, Script};
use super::server::{Reply, Server};
use super::variables::{Variables, captured};

/// Sends every case and returns the normalised answers.
pub(super) async fn play(script: &Script, server: &Server) -> anyhow::Result<Recording> {
    let mut recording = Recording::new(script, server);
    let clock = Clock::system();
    let run: String = Uuid::new_v4().simple().to_string();
    for (number, story) in script.stories.iter().enumerate() {
        // Every story has users of its own.
        let run = format!("{}{number:02}", run.get(..10).unwrap_or_default());
        let mut variables = server.variables(&run);
        for case in story {
            let answer = match server.send(case, &variables).await? {
                Ok(reply) => answer(case, &reply, &mut variables, &clock),
                Err(name) => Answer::NotSent(name),
            };
            recording.push(&case.name, answer);
        }
    }
    Ok(recording)
}

/// Normalises a reply, then keeps the values that later cases use.
fn answer(case: &Case, reply: &Reply, variables: &mut Variables, clock: &Clock) -> Answer {
    let normaliser = Normaliser::new(variables, clock.now());
    let answer = normaliser.answer(reply.status, &reply.headers, &reply.body);
    let body: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    let location = reply.headers.get(LOCATION);
    let location = location.and_then(|value| value.to_str().ok());
    for (name, place) in &case.captures {
        variables.set(name, captured(place, location, &body));
    }
    Answer::Received(answer)
}
