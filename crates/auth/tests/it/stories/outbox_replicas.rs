//! Several replicas share the outbox; mails survive the loss of any one.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use innkeeper_rest::{Server, Stop};
use innkeeper_service::smtp_sink::{SinkFault, SmtpStep};
use serde_json::json;

use crate::support::TestApp;
use crate::support::faults::post_to;
use crate::support::outbox::once;

const ADA: &str = "ada@example.com";

#[tokio::test]
async fn several_replicas_send_every_mail_once() {
    const MAILS: usize = 120;
    let app = TestApp::start().await;
    let sink = app.mailbox.sink();
    app.auth.stop_mail().await;
    for first in (0..MAILS).step_by(8) {
        join_all((first..first + 8).map(|number| {
            let app = &app;
            async move { app.invite(&format!("user-{number}@example.com")).await }
        }))
        .await;
    }
    let mut replicas = Vec::new();
    for _ in 0..3 {
        replicas.push(app.replica_with(|_| {}).await);
    }
    for number in 0..MAILS {
        app.mail_becomes("delivered", &format!("user-{number}@example.com"))
            .await;
    }
    let mails = sink.mails();
    let ids: BTreeSet<_> = mails.iter().map(|mail| mail.header("Message-ID")).collect();
    assert_eq!((mails.len(), ids.len()), (MAILS, MAILS));
}

#[tokio::test]
async fn a_mail_of_a_replica_that_is_gone_is_sent_by_another() {
    let app = TestApp::start().await;
    app.auth.stop_mail().await;
    let (other, client) = app.replica_with(|_| {}).await;
    let body = json!({ "email": ADA, "password": "correct horse" });
    app.mailbox
        .sink()
        .set_behaviour(once(SmtpStep::Content, SinkFault::Silence));
    post_to(&client, "/signup", &body).await.ok();
    app.mail_stalls(ADA).await;
    drop((other, client));

    let (_third, _) = app.replica_with(|_| {}).await;
    // The mail belongs to the lost replica until its lease expires.
    app.mail_becomes("sending", ADA).await;
    app.advance(31);
    let mail = app.mailbox.next_to(ADA).await;
    app.verify_code("signup", ADA, &mail.code()).await.ok();
    assert_eq!(app.mail_becomes("delivered", ADA).await["tries"], 2);
}

#[tokio::test]
async fn a_server_that_is_told_to_stop_gives_back_what_it_cannot_finish() {
    let app = TestApp::start().await;
    app.auth.stop_mail().await;
    app.mailbox
        .sink()
        .set_behaviour(once(SmtpStep::Content, SinkFault::Silence));
    let (other, client) = app.replica_with(|_| {}).await;
    let stop = Stop::new();
    let server = Server::bind("127.0.0.1:0").unwrap();
    let serving = tokio::spawn({
        let stop = stop.clone();
        async move { other.serve(server, stop).await }
    });
    let body = json!({ "email": ADA, "password": "correct horse" });
    post_to(&client, "/signup", &body).await.ok();
    app.mail_stalls(ADA).await;
    stop.now();
    serving.await.unwrap().unwrap();
    // Immediately, not when the lease would have expired.
    let mail = app.mail_becomes("waiting", ADA).await;
    assert_eq!(mail["tries"], 1);
    let (_third, _) = app.replica_with(|_| {}).await;
    app.mailbox.next_to(ADA).await;
}

#[tokio::test]
async fn mail_is_sent_again_once_the_database_is_back() {
    let app = TestApp::start().await;
    app.mailbox.sink().set_behaviour(once(
        SmtpStep::Rcpt,
        SinkFault::Reply("450 greylisted".to_owned()),
    ));
    app.invite(ADA).await;
    app.mails_until("waiting", |mail| mail["tries"] == 1).await;
    app.lose_database().await;
    app.advance(6);
    app.find_database().await;
    app.mailbox.next_to(ADA).await;
}
