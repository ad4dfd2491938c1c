//! The metrics and the log of text messages.

use innkeeper_auth::config::MetricsExporter;
use serde_json::json;

use super::{PHONE, gotrue_app};
use crate::support::eventually;
use crate::support::served::Served;
use crate::support::sms::{Behaviour, Protocol, SmsProvider};

#[tokio::test]
async fn messages_failures_and_refusals_are_counted() {
    let provider = SmsProvider::start(Protocol::Twilio).await;
    let app = gotrue_app(&provider, |config| {
        config.telemetry.metrics_enabled = true;
        config.telemetry.metrics_exporter = MetricsExporter::Prometheus;
        "127.0.0.1".clone_into(&mut config.telemetry.prometheus_host);
        config.telemetry.prometheus_port = 0;
    })
    .await;
    let served = Served::start(app);
    let post = async |phone: &str| {
        let request = served.client.post(format!("{}/otp", served.url));
        let answer = request.json(&json!({ "phone": phone })).send().await;
        answer.unwrap().status().as_u16()
    };
    assert_eq!(post(PHONE).await, 200);
    assert_eq!(post(PHONE).await, 429);
    provider.behave(Behaviour::Refuse("out of credit".to_owned()));
    assert_eq!(post("4917").await, 422);
    let expected = [
        r#"auth_sms_send_operations_total{type="confirmation"} 1"#,
        "auth_sms_send_errors_total 1",
        r#"auth_sms_rate_limit_counter{path="/otp"} 1"#,
        "auth_sms_waiting 0",
    ];
    eventually("all are counted", async || {
        let page = served.metrics("/").await;
        let are_counted = expected.iter().all(|line| page.contains(line));
        if are_counted { Ok(()) } else { Err(page) }
    })
    .await;
    served.stop().await;
}
