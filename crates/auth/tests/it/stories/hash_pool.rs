//! Accounts whose password hash takes long to check, and the others.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use innkeeper_auth::config::Profile;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::support::{TestApp, eventually};

const ADA: &str = "ada@example.com";
const COSTLY: &str = "costly@example.com";

/// Describes an imported user whose bcrypt hash has this cost.
fn imported(email: &str, cost: u32) -> Value {
    json!({
        "email": email,
        "email_confirm": true,
        "password_hash": format!("$2a${cost:02}$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e"),
    })
}

#[tokio::test]
async fn a_hash_that_would_keep_others_waiting_is_not_imported() {
    let app = TestApp::start().await;
    let operator = app.operator();
    let refused = operator.post("/admin/users", imported(COSTLY, 14)).await;
    let refused = refused.refused(400, "validation_failed");
    let message = refused["msg"].as_str().unwrap();
    assert!(message.contains("a cost of 4 to 13"), "{message}");
    assert_eq!(app.accounts(COSTLY).await, 0);
    operator.create(imported(COSTLY, 13)).await;
    // As in GoTrue.
    let gotrue = TestApp::with(|config| config.profile = Profile::Gotrue).await;
    gotrue.operator().create(imported(COSTLY, 14)).await;
}

#[tokio::test]
async fn many_sign_ins_of_one_account_do_not_keep_another_waiting() {
    let app = TestApp::with(|config| {
        // The last of them waits for all others.
        config.api.max_request_duration = SignedDuration::from_hours(1);
    })
    .await;
    app.confirmed(ADA).await;
    // Each check takes so long that the other account's request comes after few of them.
    app.operator().create(imported(COSTLY, 11)).await;
    let before = app.auth.hash_counts().bcrypt;
    let answered = AtomicUsize::new(0);
    let guesses = join_all((0..12).map(async |_| {
        let answer = app.sign_in(COSTLY, "not it").await;
        answered.fetch_add(1, Ordering::Relaxed);
        answer.status
    }));
    let other = async {
        // All of them have arrived by the time the first was checked.
        let is_first_checked = async || app.auth.hash_counts().bcrypt >= before + 2;
        eventually("the first is checked", is_first_checked).await;
        app.sign_in(ADA, "correct horse").await.ok();
        answered.load(Ordering::Relaxed)
    };
    let (statuses, answered_before) = tokio::join!(guesses, other);
    assert!(answered_before < 8, "{answered_before} of 12 came first");
    // Nobody was refused for that: the first ten are wrong, and the others have to wait.
    let allowed = statuses.iter().all(|status| [400, 429].contains(status));
    assert!(allowed, "{statuses:?}");
    assert_eq!(app.auth.hash_counts().bcrypt, before + 12);
}
