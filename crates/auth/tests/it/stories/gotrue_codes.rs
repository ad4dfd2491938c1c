//! Links and codes that GoTrue sent before its database was taken over.

use aws_lc_rs::digest::{SHA224, digest};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use tokio_postgres::Client as Sql;
use uuid::Uuid;

use crate::support::TestApp;
use crate::support::hex;
use crate::support::mail_flows::{methods_of, without_pauses};

const CODE: &str = "042617";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Returns GoTrue's hash of an address and a code, which was also the secret of its link.
fn former_hash(email: &str, code: &str) -> String {
    hex(digest(&SHA224, format!("{email}{code}").as_bytes()).as_ref())
}

/// How GoTrue stored a link or code that it sent.
#[derive(Clone, Copy)]
struct Former {
    column: &'static str,
    sent_at: &'static str,
    /// Newer versions also wrote a row into `one_time_tokens`.
    has_row: bool,
    prefix: &'static str,
}

const CONFIRMATION: Former = Former {
    column: "confirmation_token",
    sent_at: "confirmation_sent_at",
    has_row: true,
    prefix: "",
};
const RECOVERY: Former = Former {
    column: "recovery_token",
    sent_at: "recovery_sent_at",
    ..CONFIRMATION
};
const CHANGE_NEW: Former = Former {
    column: "email_change_token_new",
    sent_at: "email_change_sent_at",
    ..CONFIRMATION
};
const CHANGE_CURRENT: Former = Former {
    column: "email_change_token_current",
    ..CHANGE_NEW
};

impl Former {
    /// Stores a code sent at this time, and returns the secret of its link.
    async fn store(self, sql: &Sql, user: Uuid, email: &str, then: Timestamp) -> String {
        let link = format!("{}{}", self.prefix, former_hash(email, CODE));
        let Self {
            column, sent_at, ..
        } = self;
        let update = format!("update users set {column} = $2, {sent_at} = $3 where id = $1");
        sql.execute(&update, &[&user, &link, &then]).await.unwrap();
        let delete = "delete from one_time_tokens where user_id = $1 and token_type::text = $2";
        sql.execute(delete, &[&user, &column]).await.unwrap();
        if self.has_row {
            let insert = format!(
                "insert into one_time_tokens (id, user_id, token_type, token_hash, relates_to) \
                 values (gen_random_uuid(), $1, '{column}', $2, $3)"
            );
            sql.execute(&insert, &[&user, &link, &email]).await.unwrap();
        }
        link
    }
}

/// Returns the server's time minus some seconds.
fn ago(app: &TestApp, seconds: i64) -> Timestamp {
    app.clock.now() - SignedDuration::from_secs(seconds)
}

/// Inserts an account as GoTrue stores it, with null in unused columns.
async fn former_user(sql: &Sql, email: &str, is_confirmed: bool) -> Uuid {
    let id = Uuid::new_v4();
    let insert = "
        insert into users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at,
                           raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
        values ('00000000-0000-0000-0000-000000000000', $1, 'authenticated', 'authenticated', $2,
                -- correct horse
                '$2a$04$XvLUj7NYHQ0H5ywbRjLqHOpUIyjsH7BvkF6qUjrJzKk/Nnv4aCWwu',
                case when $3 then now() end,
                '{\"provider\": \"email\", \"providers\": [\"email\"]}', '{}', now(), now())";
    sql.execute(insert, &[&id, &email, &is_confirmed])
        .await
        .unwrap();
    let insert = "
        insert into identities (id, user_id, provider, provider_id, identity_data, created_at, updated_at)
        select gen_random_uuid(), u.id, 'email', u.id::text,
               jsonb_build_object('sub', u.id, 'email', u.email), now(), now()
          from users u
         where u.id = $1";
    sql.execute(insert, &[&id]).await.unwrap();
    id
}

/// The ways to use a mail's link or code.
#[derive(Clone, Copy, Debug)]
enum Way {
    Link,
    Secret,
    Code,
}

async fn use_it(app: &TestApp, way: Way, kind: &str, (email, link): (&str, &str)) -> bool {
    match way {
        Way::Link => {
            let answer = app.open(innkeeper_rest::Method::GET, kind, link).await;
            !answer.said("access_token").is_empty()
                || !answer.said("message").is_empty()
                || answer.query().contains_key("code")
        }
        Way::Secret => app.verify_link(kind, link).await.status == 200,
        Way::Code => app.verify_code(kind, email, CODE).await.status == 200,
    }
}

const WAYS: [Way; 3] = [Way::Link, Way::Secret, Way::Code];

#[tokio::test]
async fn confirmations_and_recoveries_work_once_and_until_they_expire() {
    let app = TestApp::start().await;
    let sql = app.sql().await;
    let lifetime = app.config.mailer.otp_exp.as_secs();
    for (sent, kinds, is_confirmed) in [
        (CONFIRMATION, ["signup", "email", "invite"], false),
        (RECOVERY, ["recovery", "email", "magiclink"], true),
    ] {
        for (has_row, kind) in [
            (true, kinds[0]),
            (false, kinds[0]),
            (true, kinds[1]),
            (false, kinds[2]),
        ] {
            let sent = Former { has_row, ..sent };
            for way in WAYS {
                let case = format!("{} {has_row} {kind} {way:?}", sent.column);
                let email = format!("{}@example.com", Uuid::new_v4());
                let user = former_user(&sql, &email, is_confirmed).await;
                let link = sent
                    .store(&sql, user, &email, ago(&app, lifetime + 5))
                    .await;
                assert!(
                    !use_it(&app, way, kind, (&email, &link)).await,
                    "old {case}"
                );
                let link = sent
                    .store(&sql, user, &email, ago(&app, lifetime - 300))
                    .await;
                assert!(use_it(&app, way, kind, (&email, &link)).await, "{case}");
                assert!(
                    !use_it(&app, way, kind, (&email, &link)).await,
                    "again {case}"
                );
                for other in ["email_change", "sms"] {
                    assert!(
                        !use_it(&app, way, other, (&email, &link)).await,
                        "{other} {case}"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn a_change_of_address_is_finished() {
    let app = TestApp::start().await;
    let sql = app.sql().await;
    for has_row in [true, false] {
        for way in WAYS {
            let (old, new) = (
                format!("old-{way:?}-{has_row}@example.com").to_lowercase(),
                format!("new-{way:?}-{has_row}@example.com").to_lowercase(),
            );
            let user = former_user(&sql, &old, true).await;
            let update = "update users set email_change = $2 where id = $1";
            sql.execute(update, &[&user, &new]).await.unwrap();
            let of_new = Former {
                has_row,
                ..CHANGE_NEW
            };
            let of_old = Former {
                has_row,
                ..CHANGE_CURRENT
            };
            let to_new = of_new.store(&sql, user, &new, ago(&app, 10)).await;
            let to_old = of_old.store(&sql, user, &old, ago(&app, 10)).await;
            assert!(
                use_it(&app, way, "email_change", (&new, &to_new)).await,
                "{way:?}"
            );
            assert_eq!(app.accounts(&new).await, 0);
            assert!(
                use_it(&app, way, "email_change", (&old, &to_old)).await,
                "{way:?}"
            );
            assert_eq!((app.accounts(&old).await, app.accounts(&new).await), (0, 1));
        }
    }
}

#[tokio::test]
async fn wrong_codes_are_counted_and_leave_link_and_password() {
    let app = TestApp::start().await;
    let sql = app.sql().await;
    for has_row in [true, false] {
        let email = format!("ada-{has_row}@example.com");
        let user = former_user(&sql, &email, false).await;
        let sent = Former {
            has_row,
            ..CONFIRMATION
        };
        let link = sent.store(&sql, user, &email, ago(&app, 10)).await;
        for number in 0..5 {
            app.verify_code("signup", &email, &format!("11111{number}"))
                .await
                .refused(403, "otp_expired");
        }
        app.verify_code("signup", &email, CODE)
            .await
            .refused(403, "otp_expired");
        app.verify_link("signup", &link).await.ok();
        // The link belongs to the sign-up, so its password is valid.
        app.sign_in(&email, "correct horse").await.ok();
    }
}

#[tokio::test]
async fn code_exchanges_that_had_begun_are_finished() {
    let app = TestApp::start().await;
    let sql = app.sql().await;
    for (sent, kind, method) in [
        (CONFIRMATION, "signup", "email/signup"),
        (RECOVERY, "recovery", "recovery"),
        (RECOVERY, "magiclink", "magiclink"),
    ] {
        for has_row in [true, false] {
            let email = format!("{kind}-{has_row}@example.com");
            let user = former_user(&sql, &email, kind != "signup").await;
            let sent = Former {
                has_row,
                prefix: "pkce_",
                ..sent
            };
            let flow = "
                insert into flow_state (id, user_id, auth_code, code_challenge_method, code_challenge,
                                        provider_type, authentication_method, created_at, updated_at)
                values (gen_random_uuid(), $1, gen_random_uuid()::text, 's256', $2, $3, $3, $4, $4)";
            sql.execute(flow, &[&user, &CHALLENGE, &method, &ago(&app, 10)])
                .await
                .unwrap();
            let link = sent.store(&sql, user, &email, ago(&app, 10)).await;
            // Without its prefix, the secret does not match.
            let bare = link.strip_prefix("pkce_").unwrap();
            app.verify_link(kind, bare)
                .await
                .refused(403, "otp_expired");
            let answer = app.open(innkeeper_rest::Method::GET, kind, &link).await;
            let body = json!({ "auth_code": answer.query()["code"], "code_verifier": VERIFIER });
            let session = app.post("/token?grant_type=pkce", body).await.ok();
            assert_eq!(
                methods_of(session["access_token"].as_str().unwrap()),
                [method]
            );

            // The secret alone would not need the client that has the code verifier.
            for (way, expected) in [(Way::Secret, false), (Way::Code, true)] {
                let link = sent.store(&sql, user, &email, ago(&app, 10)).await;
                let is_used = use_it(&app, way, kind, (&email, &link)).await;
                assert_eq!(is_used, expected, "{kind} {way:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_code_that_was_given_out_can_still_be_exchanged() {
    let app = TestApp::start().await;
    let sql = app.sql().await;
    let user = former_user(&sql, "ada@example.com", true).await;
    let code = Uuid::new_v4().to_string();
    let flow = "
        insert into flow_state (id, user_id, auth_code, auth_code_issued_at, code_challenge_method,
                                code_challenge, provider_type, authentication_method, created_at)
        values (gen_random_uuid(), $1, $2, $4, 's256', $3, 'magiclink', 'magiclink',
                $4::timestamptz - interval '1 hour')";
    sql.execute(flow, &[&user, &code, &CHALLENGE, &ago(&app, 0)])
        .await
        .unwrap();
    let body = json!({ "auth_code": code, "code_verifier": VERIFIER });
    app.post("/token?grant_type=pkce", body.clone()).await.ok();
    app.post("/token?grant_type=pkce", body)
        .await
        .refused(404, "flow_state_not_found");
}

#[tokio::test]
async fn each_server_replaces_what_the_other_has_sent() {
    let app = TestApp::with(without_pauses).await;
    let sql = app.sql().await;
    let user = former_user(&sql, "ada@example.com", true).await;
    let theirs = RECOVERY
        .store(&sql, user, "ada@example.com", ago(&app, 10))
        .await;
    let ours = app.mail_of("/otp", "ada@example.com").await;
    app.verify_link("magiclink", &theirs)
        .await
        .refused(403, "otp_expired");
    for number in 0..5 {
        app.verify_code("magiclink", "ada@example.com", &format!("22222{number}"))
            .await
            .refused(403, "otp_expired");
    }
    // GoTrue still runs and sends another code: ours is no longer valid, and the guesses are reset.
    RECOVERY
        .store(&sql, user, "ada@example.com", ago(&app, 5))
        .await;
    app.verify_link("magiclink", &ours.token())
        .await
        .refused(403, "otp_expired");
    app.verify_code("magiclink", "ada@example.com", CODE)
        .await
        .ok();
}

#[tokio::test]
async fn a_code_of_ours_ends_when_the_earlier_server_clears_it() {
    let app = TestApp::with(without_pauses).await;
    let sql = app.sql().await;
    let user = former_user(&sql, "ada@example.com", true).await;
    let mail = app.mail_of("/recover", "ada@example.com").await;
    // GoTrue does this when the password is changed.
    let clear = "update users set recovery_token = '' where id = $1";
    sql.execute(clear, &[&user]).await.unwrap();
    let clear = "delete from one_time_tokens where user_id = $1";
    sql.execute(clear, &[&user]).await.unwrap();
    app.verify_code("recovery", "ada@example.com", &mail.code())
        .await
        .refused(403, "otp_expired");
    app.verify_link("recovery", &mail.token())
        .await
        .refused(403, "otp_expired");
}

#[tokio::test]
async fn a_hash_out_of_the_database_is_no_link() {
    let app = TestApp::start().await;
    app.mail_of_signup("ada@example.com").await;
    let sql = app.sql().await;
    let row = sql
        .query_one("select token_hash from one_time_tokens", &[])
        .await;
    let stored: String = row.unwrap().get(0);
    app.verify_link("signup", &stored)
        .await
        .refused(403, "otp_expired");
    app.open(innkeeper_rest::Method::GET, "signup", &stored)
        .await
        .sent_back_with("otp_expired");
}
