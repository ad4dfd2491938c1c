//! Requests of two sessions at the same moment.

use super::{EMAIL, PASSWORD, answer, both_profiles, challenge, code_in, enrol, low_session};
use crate::factors::verify;
use crate::support::operator::count;
use crate::support::tokens::text;

/// Somebody who knows the password has begun to add a factor, and finishes while the owner adds the first one.
#[tokio::test]
async fn a_factor_that_is_verified_while_another_session_verifies_the_first_is_refused() {
    for app in both_profiles().await {
        let owner = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&owner, "access_token");
        let first = text(&enrol(&app, &token, "owner").await.ok(), "id");
        let stolen = text(&low_session(&app, EMAIL).await, "access_token");
        let second = enrol(&app, &stolen, "thief").await.ok();
        let (factor, secret) = (text(&second, "id"), text(&second["totp"], "secret"));
        let opened = challenge(&app, &stolen, &factor).await;
        let held = app
            .hold(&format!(
                "select 1 from users for no key update;
                 update mfa_factors set status = 'verified' where id = '{first}'"
            ))
            .await;
        let code = code_in(&app, &secret, 0);
        let (refused, ()) = tokio::join!(
            verify(&app, &stolen, &factor, &opened, &code),
            held.release_to(1)
        );
        refused.refused(403, "insufficient_aal");
        let sql = app.sql().await;
        let verified = "select count(*) from mfa_factors where status = 'verified'";
        assert_eq!(count(&sql, verified).await, 1);
        let raised = "select count(*) from sessions where aal = 'aal2'";
        assert_eq!(count(&sql, raised).await, 0);
    }
}

#[tokio::test]
async fn a_factor_that_is_verified_while_its_session_ends_raises_nothing() {
    for app in both_profiles().await {
        let session = app.signed_up(EMAIL, PASSWORD).await;
        let token = text(&session, "access_token");
        let enrolled = enrol(&app, &token, "app").await.ok();
        let factor = text(&enrolled, "id");
        let opened = challenge(&app, &token, &factor).await;
        let statements = "select 1 from users for no key update; delete from sessions";
        let held = app.hold(statements).await;
        let code = code_in(&app, &text(&enrolled["totp"], "secret"), 0);
        let (refused, ()) = tokio::join!(
            verify(&app, &token, &factor, &opened, &code),
            held.release_to(1)
        );
        refused.refused(422, "mfa_verification_failed");
        let sql = app.sql().await;
        let verified = "select count(*) from mfa_factors where status = 'verified'";
        assert_eq!(count(&sql, verified).await, 0);
    }
}

/// Of two sessions that verify their first factors at once one ends, and its factor does not count.
#[tokio::test]
async fn of_two_first_factors_at_the_same_moment_one_counts() {
    for app in both_profiles().await {
        let mut answers = Vec::new();
        app.signed_up(EMAIL, PASSWORD).await;
        for name in ["one", "two"] {
            let token = text(&low_session(&app, EMAIL).await, "access_token");
            let enrolled = enrol(&app, &token, name).await.ok();
            answers.push((token, enrolled));
        }
        let held = app.hold("select 1 from users for no key update").await;
        let send = async |(token, enrolled): &(String, serde_json::Value)| {
            let code = code_in(&app, &text(&enrolled["totp"], "secret"), 0);
            answer(&app, token, &text(enrolled, "id"), &code).await
        };
        let (one, two, ()) = tokio::join!(send(&answers[0]), send(&answers[1]), held.release_to(2));
        let mut found = [one.status, two.status];
        found.sort_unstable();
        assert!(found[0] == 200 && found[1] >= 400, "{found:?}");
        let sql = app.sql().await;
        let left = "select count(*) from mfa_factors";
        assert_eq!(count(&sql, left).await, 1);
        let raised = "select count(*) from sessions where aal = 'aal2'";
        assert_eq!(count(&sql, raised).await, 1);
        assert_eq!(count(&sql, "select count(*) from sessions").await, 1);
    }
}
