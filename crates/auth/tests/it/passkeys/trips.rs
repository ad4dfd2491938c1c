//! How many round trips to the database a sign-in takes, counted on the wire.

use super::{EMAIL, owner, sign_in_options, std_app, verify};
use crate::factors::trips::Relay;

/// The smallest of several counts: tasks in the background use the database as well, and the first request on a
/// connection prepares its statements.
#[tokio::test]
async fn the_options_take_one_round_trip_and_the_answer_three() {
    let relay = Relay::default();
    let counter = relay.clone();
    let app = std_app(move |config| counter.configure(config)).await;
    let mut ada = owner(&app, EMAIL).await;
    let (mut options, mut answers) = (Vec::new(), Vec::new());
    for _ in 0..10 {
        let before = relay.count();
        let started = sign_in_options(&app).await;
        let between = relay.count();
        let credential = ada.authenticator.get(&started["options"]);
        verify(&app, &started, &credential).await.ok();
        options.push(between - before);
        answers.push(relay.count() - between);
    }
    assert_eq!(options.iter().min(), Some(&1), "{options:?}");
    assert_eq!(answers.iter().min(), Some(&3), "{answers:?}");
}
