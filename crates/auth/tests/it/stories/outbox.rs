//! Mails wait in the database until the mail server has accepted them, however that server fails.

use innkeeper_service::smtp_sink::{SinkBehaviour, SinkFault, SmtpStep};
use jiff::SignedDuration;
use serde_json::json;

use crate::support::TestApp;
use crate::support::log::Log;
use crate::support::mail_flows::without_pauses;
use crate::support::operator::count;
use crate::support::outbox::{always, once};

const ADA: &str = "ada@example.com";
const BOB: &str = "bob@example.com";

#[tokio::test]
async fn an_account_and_its_mail_are_there_together_or_not_at_all() {
    let app = TestApp::start().await;
    let sql = app.sql().await;
    let full = "create function full_up() returns trigger language plpgsql as
            $$ begin raise exception 'no room' using errcode = 'disk_full'; end $$;
        create trigger full_up before insert on innkeeper_outbox execute function full_up()";
    sql.batch_execute(full).await.unwrap();
    let body = json!({ "email": ADA, "password": "correct horse" });
    assert!(app.post("/signup", body.clone()).await.status >= 400);
    assert_eq!(app.accounts(ADA).await, 0);
    sql.batch_execute("drop trigger full_up on innkeeper_outbox")
        .await
        .unwrap();
    // The sign-up failed, so the interval between mails does not apply.
    app.post("/signup", body).await.ok();
    app.mailbox.next_to(ADA).await;
}

#[tokio::test]
async fn no_mail_is_queued_for_a_sign_up_whose_commit_fails() {
    let app = TestApp::start().await;
    let sql = app.sql().await;
    let refused = "create function refuse() returns trigger language plpgsql as
            $$ begin raise exception 'not at commit'; end $$;
        create constraint trigger refuse after insert on users deferrable initially deferred
            for each row execute function refuse()";
    sql.batch_execute(refused).await.unwrap();
    let body = json!({ "email": ADA, "password": "correct horse" });
    assert!(app.post("/signup", body.clone()).await.status >= 400);
    let mails = "select count(*) from innkeeper_outbox";
    assert_eq!(count(&sql, mails).await, 0);
    sql.batch_execute("drop trigger refuse on users")
        .await
        .unwrap();
    app.post("/signup", body).await.ok();
    app.mailbox.next_to(ADA).await;
    assert_eq!(count(&sql, mails).await, 1);
}

#[tokio::test]
async fn a_mail_stands_sealed_while_it_waits_and_is_erased_when_it_was_delivered() {
    let app = TestApp::start().await;
    app.mailbox
        .sink()
        .set_behaviour(always(SmtpStep::Rcpt, "450 greylisted"));
    app.invite(ADA).await;
    app.mails_until("waiting", |mail| mail["tries"] == 1).await;
    let sql = app.sql().await;
    let kept = "select count(*) from innkeeper_outbox where sealed is not null";
    assert_eq!(count(&sql, kept).await, 1);
    let telling = "select count(*) from innkeeper_outbox o
        where o::text ~ 'ada@example|verify|redirect_to'";
    assert_eq!(count(&sql, telling).await, 0);

    app.mailbox.sink().set_behaviour(SinkBehaviour::Accept);
    app.advance(6);
    let mail = app.mailbox.next_to(ADA).await;
    app.assert_not_stored(&mail).await;
    app.mail_becomes("delivered", ADA).await;
    assert_eq!(count(&sql, kept).await, 0);
}

#[tokio::test]
async fn a_mail_server_that_is_dead_for_half_a_day_loses_no_mail() {
    let app = TestApp::with(|config| config.mailer.otp_exp = SignedDuration::from_hours(24)).await;
    app.mailbox
        .sink()
        .set_behaviour(always(SmtpStep::Connect, "554 no service"));
    for email in [ADA, BOB] {
        let body = json!({ "email": email, "password": "correct horse" });
        app.post("/signup", body).await.ok();
    }
    for tries in 1..=5 {
        for email in [ADA, BOB] {
            let is_tried = |mail: &serde_json::Value| mail["to"] == email && mail["tries"] == tries;
            let mail = app.mails_until("waiting", is_tried).await;
            assert_eq!(
                mail["last_error"],
                "the connection: permanent error (554): no service"
            );
        }
        app.advance(2 * 3600);
    }
    app.mailbox.sink().set_behaviour(SinkBehaviour::Accept);
    app.advance(1200);
    for email in [ADA, BOB] {
        let mail = app.mailbox.next_to(email).await;
        app.verify_code("signup", email, &mail.code()).await.ok();
    }
}

#[tokio::test]
async fn a_mail_is_given_up_after_a_day_and_can_still_be_sent() {
    let log = Log::capture();
    let app = TestApp::start().await;
    app.mailbox
        .sink()
        .set_behaviour(always(SmtpStep::Rcpt, "450 greylisted"));
    app.invite(ADA).await;
    app.mails_until("waiting", |mail| mail["tries"] == 1).await;
    app.advance(24 * 3600);
    let mail = app.mail_becomes("failed", ADA).await;
    assert_eq!(mail["tries"], 2);
    assert!(mail["ended_at"].is_string() && mail["next_try_at"].is_null());
    assert_eq!(
        mail["last_error"],
        "RCPT: transient error (450): greylisted"
    );
    assert!(log.text().contains("was given up"), "{}", log.text());

    app.mailbox.sink().set_behaviour(SinkBehaviour::Accept);
    let target = format!("/admin/mail/{}/retry", mail["id"].as_str().unwrap());
    app.operator().post(&target, json!({})).await.ok();
    let received = app.mailbox.next_to(ADA).await;
    let id = format!("<{}@example.com>", mail["id"].as_str().unwrap());
    assert_eq!(received.header("Message-ID"), Some(id.as_str()));
}

#[tokio::test]
async fn a_recipient_who_is_refused_for_good_is_given_up_at_once_and_others_are_not() {
    let app = TestApp::start().await;
    let refusal = SinkFault::Reply("550 5.1.1 <ada@example.com>: no such mailbox".to_owned());
    app.mailbox
        .sink()
        .set_behaviour(once(SmtpStep::Rcpt, refusal));
    app.invite(ADA).await;
    let mail = app.mail_becomes("failed", ADA).await;
    assert_eq!(mail["tries"], 1);
    assert_eq!(
        mail["last_error"],
        "RCPT: permanent error (550): 5.1.1 <…>: no such mailbox"
    );
    app.invite(BOB).await;
    app.mailbox.next_to(BOB).await;
}

#[tokio::test]
async fn a_conversation_that_stalls_holds_up_no_other() {
    for at in [
        SmtpStep::Connect,
        SmtpStep::Hello,
        SmtpStep::Mail,
        SmtpStep::Rcpt,
        SmtpStep::Data,
        SmtpStep::Content,
    ] {
        let app = TestApp::start().await;
        app.mailbox
            .sink()
            .set_behaviour(once(at, SinkFault::Silence));
        app.invite(ADA).await;
        app.mail_stalls(ADA).await;
        for number in 0..3 {
            let email = format!("user-{number}@example.com");
            app.invite(&email).await;
            app.mailbox.next_to(&email).await;
        }
    }
}

#[tokio::test]
async fn a_connection_that_is_cut_costs_a_try_and_no_mail() {
    for at in [
        SmtpStep::Connect,
        SmtpStep::Hello,
        SmtpStep::Mail,
        SmtpStep::Rcpt,
        SmtpStep::Data,
    ] {
        let app = TestApp::start().await;
        app.mailbox
            .sink()
            .set_behaviour(once(at, SinkFault::Disconnect));
        app.invite(ADA).await;
        app.mails_until("waiting", |mail| mail["tries"] == 1).await;
        app.advance(6);
        app.mailbox.next_to(ADA).await;
        app.mail_becomes("delivered", ADA).await;
        assert_eq!(app.mailbox.count_to(ADA), 0);
    }
}

#[tokio::test]
async fn a_mail_that_was_taken_without_a_word_comes_again_under_the_same_id() {
    let app = TestApp::start().await;
    app.mailbox
        .sink()
        .set_behaviour(once(SmtpStep::Content, SinkFault::Disconnect));
    app.invite(ADA).await;
    let first = app.mailbox.next_to(ADA).await;
    app.mails_until("waiting", |mail| mail["tries"] == 1).await;
    app.advance(6);
    let second = app.mailbox.next_to(ADA).await;
    for header in ["Message-ID", "Date", "Subject"] {
        assert_eq!(first.header(header), second.header(header));
    }
    assert_eq!((&first.text, &first.html), (&second.text, &second.html));
}

#[tokio::test]
async fn an_address_that_would_become_a_header_gets_no_mail() {
    let app = TestApp::with(without_pauses).await;
    app.confirmed(ADA).await;
    let session = app.sign_in(ADA, "correct horse").await.ok();
    let sql = app.sql().await;
    for address in [
        "ada@example.com\r\nBcc: eve@example.com",
        "ada@example.com\nX: y",
        "ada@example.com, eve@example.com",
    ] {
        sql.execute("update users set email = $1", &[&address])
            .await
            .unwrap();
        let token = session["access_token"].as_str().unwrap();
        app.get_as(token, "/reauthenticate")
            .await
            .refused(422, "email_address_invalid");
    }
    assert!(app.mails("").await.is_empty());
}

#[tokio::test]
async fn what_a_mail_says_cannot_be_moved_to_another() {
    let app = TestApp::start().await;
    app.mailbox
        .sink()
        .set_behaviour(always(SmtpStep::Rcpt, "450 greylisted"));
    for email in [ADA, BOB] {
        app.invite(email).await;
        app.mails_until("waiting", |mail| mail["to"] == email && mail["tries"] == 1)
            .await;
    }
    let sql = app.sql().await;
    // An attacker with write access to the database tries to read Bob's link.
    let moved = "update innkeeper_outbox o set sealed = other.sealed
        from innkeeper_outbox other where other.id <> o.id";
    sql.execute(moved, &[]).await.unwrap();
    app.mailbox.sink().set_behaviour(SinkBehaviour::Accept);
    app.advance(6);
    for email in [ADA, BOB] {
        let mail = app.mail_becomes("failed", email).await;
        assert_eq!(
            mail["last_error"],
            "the value does not open: wrong key, wrong row or altered"
        );
    }
    assert_eq!(app.mailbox.sink().received(), 0);
}

#[tokio::test]
async fn mails_go_from_the_outbox_a_while_after_they_were_delivered_or_given_up() {
    for is_enabled in [true, false] {
        let app = TestApp::with(|config| {
            config.database.cleanup_enabled = is_enabled;
            config.outbox.keep_delivered = SignedDuration::from_hours(2);
            config.outbox.keep_failed = SignedDuration::from_hours(4);
            config.outbox.retry_for = SignedDuration::from_hours(1000);
        })
        .await;
        let sink = app.mailbox.sink();
        app.invite("delivered@example.com").await;
        app.mail_becomes("delivered", "delivered@example.com").await;
        sink.set_behaviour(once(SmtpStep::Rcpt, SinkFault::Reply("550 no".to_owned())));
        app.invite("failed@example.com").await;
        app.mail_becomes("failed", "failed@example.com").await;
        sink.set_behaviour(always(SmtpStep::Rcpt, "450 greylisted"));
        app.invite("waiting@example.com").await;
        app.mails_until("waiting", |mail| mail["tries"] == 1).await;
        for (hours, left) in [(1, 3), (2, 2), (2, 1)] {
            app.advance(hours * 3600);
            app.auth.clean_up().await.unwrap();
            assert_eq!(app.mails("").await.len(), left, "{is_enabled}");
        }
    }
}
