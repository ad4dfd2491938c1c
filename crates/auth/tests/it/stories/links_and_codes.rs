//! The links and codes of mails, how they are stored, and how often they work.

use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::future::join_all;
use innkeeper_rest::Method;
use serde_json::{Value, json};

use crate::support::mail_flows::without_pauses;
use crate::support::mailbox::ReceivedMail;
use crate::support::{Answer, TestApp};

#[tokio::test]
async fn a_link_carries_256_random_bits_and_says_nothing_of_the_code() {
    let app = TestApp::with(|config| {
        without_pauses(config);
        config.mailer.otp_length = 8;
    })
    .await;
    app.confirmed("ada@example.com").await;
    let mut seen = HashSet::new();
    for _ in 0..10 {
        let mail = app.mail_of("/otp", "ada@example.com").await;
        let secret = mail.token();
        assert_eq!(secret.len(), 43);
        assert_eq!(URL_SAFE_NO_PAD.decode(&secret).unwrap().len(), 32);
        assert!(seen.insert(secret));
        assert_eq!(mail.code().len(), 8);
    }
}

/// Requests a mail of every kind, and returns each with its name.
async fn every_mail(app: &TestApp) -> Vec<(&'static str, ReceivedMail)> {
    let mut mails = vec![
        ("signup", app.mail_of_signup("ada@example.com").await),
        (
            "otp of a new user",
            app.mail_of("/otp", "bob@example.com").await,
        ),
    ];
    let body = json!({ "email": "ada@example.com", "type": "signup" });
    app.post("/resend", body).await.ok();
    mails.push(("resend", app.mailbox.next_to("ada@example.com").await));
    let body = json!({ "email": "eve@example.com" });
    app.post_as(&app.service_key(), "/invite", body).await.ok();
    mails.push(("invite", app.mailbox.next_to("eve@example.com").await));
    app.confirmed("kim@example.com").await;
    mails.push(("recover", app.mail_of("/recover", "kim@example.com").await));
    mails.push(("otp", app.mail_of("/otp", "kim@example.com").await));
    let body = json!({
        "email": "kim@example.com",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "s256",
    });
    app.post("/otp", body).await.ok();
    mails.push((
        "otp with an exchange",
        app.mailbox.next_to("kim@example.com").await,
    ));
    let session = app.sign_in("kim@example.com", "correct horse").await.ok();
    let access_token = session["access_token"].as_str().unwrap();
    let body = json!({ "email": "new@example.com" });
    app.put_as(access_token, "/user", body).await.ok();
    mails.push(("change, old", app.mailbox.next_to("kim@example.com").await));
    mails.push(("change, new", app.mailbox.next_to("new@example.com").await));
    mails
}

#[tokio::test]
async fn no_table_holds_a_link_or_a_code() {
    let app = TestApp::with(without_pauses).await;
    for (_, mail) in every_mail(&app).await {
        app.assert_not_stored(&mail).await;
    }
    // A nonce is mailed without a link.
    let session = app.sign_in("kim@example.com", "correct horse").await.ok();
    let access_token = session["access_token"].as_str().unwrap();
    app.get_as(access_token, "/reauthenticate").await.ok();
    let nonce = app.mailbox.next_to("kim@example.com").await.code();
    app.assert_no_column_holds(&nonce).await;
    // A link that an operator generated is not stored either.
    let body = json!({ "type": "recovery", "email": "kim@example.com" });
    let link = app
        .post_as(&app.service_key(), "/admin/generate_link", body)
        .await
        .ok();
    app.assert_no_row_holds(link["hashed_token"].as_str().unwrap())
        .await;
    app.assert_no_column_holds(link["email_otp"].as_str().unwrap())
        .await;
}

#[tokio::test]
async fn no_hash_that_can_be_computed_from_an_address_opens_anything() {
    let app = TestApp::with(without_pauses).await;
    every_mail(&app).await;
    let statement = "
        with stored as (
               select token_hash as hash from one_time_tokens
               union all
               select unnest(array[confirmation_token, recovery_token, email_change_token_new,
                                   email_change_token_current, reauthentication_token])
                 from users
               union all
               select unnest(array[link_hash, encode(code_mac, 'hex')])
                 from innkeeper_one_time_codes),
             address as (
               select unnest(array['ada@example.com', 'kim@example.com']) as email),
             guess as (
               select encode(sha224(convert_to(email || lpad(n::text, 6, '0'), 'UTF8')), 'hex') as hash
                 from address, generate_series(0, 999999) n)
        select (select count(*) from stored where hash <> ''),
               (select count(*) from guess),
               (select count(*) from guess join stored
                    on stored.hash = guess.hash
                    or stored.hash = 'pkce_' || guess.hash)";
    let row = app.sql().await.query_one(statement, &[]).await.unwrap();
    let (stored, guesses, open): (i64, i64, i64) = (row.get(0), row.get(1), row.get(2));
    assert!(stored >= 20, "{stored}");
    assert_eq!((guesses, open), (2_000_000, 0));
}

#[tokio::test]
async fn five_wrong_codes_end_a_code_and_leave_the_link() {
    let app = TestApp::with(without_pauses).await;
    app.confirmed("bob@example.com").await;
    for (email, target, kind) in [
        ("ada@example.com", "/otp", "signup"),
        ("ada@example.com", "/otp", "email"),
        ("bob@example.com", "/recover", "recovery"),
        ("bob@example.com", "/otp", "email"),
    ] {
        let mail = app.mail_of(target, email).await;
        let code = mail.code();
        for number in 0..5 {
            let wrong = wrong_code(&code, number);
            app.verify_code(kind, email, &wrong)
                .await
                .refused(403, "otp_expired");
        }
        app.verify_code(kind, email, &code)
            .await
            .refused(403, "otp_expired");
        app.verify_link(kind, &mail.token()).await.ok();
    }
}

#[tokio::test]
async fn four_wrong_codes_do_not_end_a_code_and_a_new_mail_gives_five_more() {
    let app = TestApp::with(without_pauses).await;
    app.confirmed("ada@example.com").await;
    for _ in 0..3 {
        let mail = app.mail_of("/otp", "ada@example.com").await;
        for number in 0..4 {
            app.verify_code(
                "magiclink",
                "ada@example.com",
                &wrong_code(&mail.code(), number),
            )
            .await
            .refused(403, "otp_expired");
        }
        let mail = app.mail_of("/otp", "ada@example.com").await;
        for number in 0..4 {
            app.verify_code(
                "magiclink",
                "ada@example.com",
                &wrong_code(&mail.code(), number),
            )
            .await
            .refused(403, "otp_expired");
        }
        app.verify_code("magiclink", "ada@example.com", &mail.code())
            .await
            .ok();
    }
}

#[tokio::test]
async fn guesses_at_once_and_on_every_replica_count() {
    let app = TestApp::with(without_pauses).await;
    let mail = app.mail_of_signup("ada@example.com").await;
    let replica = app.replica().await;
    let guess =
        |code: String| json!({ "type": "email", "email": "ada@example.com", "token": code });
    let here = (0..10).map(|number| app.post("/verify", guess(wrong_code(&mail.code(), number))));
    let there = (10..20).map(|number| {
        let body = guess(wrong_code(&mail.code(), number));
        replica.post("/verify").json(&body).send()
    });
    let (here, there) = tokio::join!(join_all(here), join_all(there));
    assert!(here.iter().all(|answer| answer.status == 403));
    assert!(there.iter().all(|answer| answer.status() == 403));
    app.verify_code("email", "ada@example.com", &mail.code())
        .await
        .refused(403, "otp_expired");
    app.verify_link("email", &mail.token()).await.ok();
}

#[tokio::test]
async fn of_fifty_uses_at_once_exactly_one_succeeds() {
    let app = TestApp::with(without_pauses).await;
    app.confirmed("ada@example.com").await;
    let mail = app.mail_of("/otp", "ada@example.com").await;
    let secret = mail.token();
    let answers = join_all((0..50).map(|_| app.verify_link("magiclink", &secret))).await;
    assert_one(&answers, |answer| answer.status == 200);

    let code = app.mail_of("/otp", "ada@example.com").await.code();
    let use_it = |_| app.verify_code("magiclink", "ada@example.com", &code);
    let answers = join_all((0..50).map(use_it)).await;
    assert_one(&answers, |answer| answer.status == 200);

    let mail = app.mail_of("/recover", "ada@example.com").await;
    let answers = join_all((0..50).map(|_| app.follow(&mail))).await;
    assert_one(&answers, |answer| !answer.said("access_token").is_empty());

    let mail = app.mail_of_signup("bob@example.com").await;
    let (secret, code) = (mail.token(), mail.code());
    let links = join_all((0..25).map(|_| app.verify_link("signup", &secret)));
    let codes = join_all((0..25).map(|_| app.verify_code("signup", "bob@example.com", &code)));
    let (mut answers, codes) = tokio::join!(links, codes);
    answers.extend(codes);
    assert_one(&answers, |answer| answer.status == 200);
}

fn assert_one(answers: &[Answer], is_good: impl Fn(&Answer) -> bool) {
    assert_eq!(answers.len(), 50);
    let good = answers.iter().filter(|answer| is_good(answer)).count();
    assert_eq!(good, 1);
    assert!(answers.iter().all(|answer| answer.status < 500));
}

#[tokio::test]
async fn a_new_mail_replaces_the_former_of_its_kind() {
    let app = TestApp::with(without_pauses).await;
    let first = app.mail_of_signup("ada@example.com").await;
    let second = app.mail_of("/otp", "ada@example.com").await;
    // The link of a sign-up stays valid (`stories::pending_signup`), its code does not.
    if first.code() != second.code() {
        app.verify_code("signup", "ada@example.com", &first.code())
            .await
            .refused(403, "otp_expired");
    }
    app.verify_code("signup", "ada@example.com", &second.code())
        .await
        .ok();

    // A magic link and a recovery link replace each other.
    let first = app.mail_of("/otp", "ada@example.com").await;
    let second = app.mail_of("/recover", "ada@example.com").await;
    app.open(Method::GET, "magiclink", &first.token())
        .await
        .sent_back_with("otp_expired");
    app.follow(&second).await.said("access_token");
}

#[tokio::test]
async fn success_ends_everything_else_that_waits() {
    let app = TestApp::with(without_pauses).await;
    let session = app.signed_up("ada@example.com", "correct horse").await;
    let access_token = session["access_token"].as_str().unwrap();
    let body = json!({ "email": "new@example.com" });
    app.put_as(access_token, "/user", body).await.ok();
    let to_old = app.mailbox.next_to("ada@example.com").await;
    let to_new = app.mailbox.next_to("new@example.com").await;
    let recovery = app.mail_of("/recover", "ada@example.com").await;
    app.verify_link("recovery", &recovery.token()).await.ok();
    for mail in [&to_old, &to_new] {
        app.verify_link("email_change", &mail.token())
            .await
            .refused(403, "otp_expired");
    }
    app.verify_code("email_change", "new@example.com", &to_new.code())
        .await
        .refused(403, "otp_expired");
    let statement = "
        select (select count(*) from one_time_tokens) + (select count(*) from innkeeper_one_time_codes),
               (select to_jsonb(u) from users u where email = 'ada@example.com')";
    let row = app.sql().await.query_one(statement, &[]).await.unwrap();
    assert_eq!(row.get::<_, i64>(0), 0);
    let user: Value = row.get(1);
    for column in [
        "confirmation_token",
        "recovery_token",
        "email_change_token_new",
        "email_change_token_current",
        "reauthentication_token",
    ] {
        assert_eq!(user[column], "", "{column}");
    }
}

/// Returns another code of the same length.
fn wrong_code(code: &str, number: u64) -> String {
    let right: u64 = code.parse().unwrap();
    format!("{:06}", (right + 1 + number) % 1_000_000)
}
