//! The same statements run by `pgbench`, a client with minimal overhead.
//!
//! The statements are those of the server. Each client works for one user, so that
//! none waits for another's rows. One difference from the server: the guard of a refresh compares the
//! counter with itself, since `pgbench` cannot carry it from one statement to the next.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tokio::process::Command;

use crate::Plan;
use crate::accounts::CONNECTIONS;
use crate::bare::{ADDRESS, AGENT, AUDIENCE, HASH, HMAC_KEY, Known, Limits, SCHEMA, audit_payload};
use crate::load::Sample;
use crate::process::Stat;
use crate::scenario::Scenario;
use crate::sql;

/// A new id for each transaction, from a random number.
const NEW_ID: &str = "cast(lpad(to_hex(cast(:number as bigint)), 32, '0') as uuid)";

/// Runs the statements of a scenario for one window.
pub(crate) async fn run(plan: &Plan, limits: &Limits, scenario: Scenario) -> Result<Sample> {
    let folder = plan.places.folder_of("pgbench")?;
    let script = folder.join("script.sql");
    std::fs::write(&script, self::script(scenario)?)?;
    let seconds = plan.window.as_secs().max(1);
    let mut command = Command::new("pgbench");
    command
        .args(["--no-vacuum", "--protocol=prepared", "--jobs=1", "--log"])
        .arg(format!("--client={CONNECTIONS}"))
        .arg(format!("--time={seconds}"))
        .arg(format!("--file={}", script.display()))
        .arg(format!("--log-prefix={}", folder.join("times").display()))
        .env("PGOPTIONS", format!("-c search_path={SCHEMA}"));
    for (name, value) in variables(&limits.users) {
        command.arg(format!("--define={name}={value}"));
    }
    command.arg(&limits.url);

    let before = Stat::own()?.children_cpu();
    let output = command.output().await.context("running pgbench")?;
    let cpu = Stat::own()?.children_cpu().saturating_sub(before);
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "pgbench failed: {errors}");
    let window = Duration::from_secs(seconds);
    Ok(Sample::of(times(&folder)?, window)?.with_cpu(cpu, window))
}

/// Returns the latency of each transaction.
fn times(folder: &Path) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path: PathBuf = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if !name.is_some_and(|name| name.starts_with("times.")) {
            continue;
        }
        for line in std::fs::read_to_string(&path)?.lines() {
            let micros = line.split(' ').nth(2).context("pgbench's log is short")?;
            times.push(Duration::from_micros(
                micros.parse().context("pgbench's log")?,
            ));
        }
    }
    Ok(times)
}

/// Returns variables for texts that no expression of `pgbench` can produce.
fn variables(users: &[Known]) -> Vec<(String, String)> {
    let mut variables = vec![
        ("payload".to_owned(), audit_payload().to_string()),
        ("hmac_key".to_owned(), HMAC_KEY.to_owned()),
        ("hash".to_owned(), HASH.to_owned()),
        ("now".to_owned(), jiff::Timestamp::now().to_string()),
    ];
    for (number, user) in users.iter().enumerate() {
        variables.push((format!("user_{number}"), user.id.to_string()));
        variables.push((format!("email_{number}"), user.email.clone()));
        variables.push((format!("session_{number}"), user.session_id.to_string()));
    }
    variables
}

fn script(scenario: Scenario) -> Result<String> {
    let mut script = "\\set number random(1, 9000000000000000000)\n".to_owned();
    for client in 0..CONNECTIONS {
        let word = if client == 0 { "if" } else { "elif" };
        writeln!(script, "\\{word} :client_id = {client}")?;
        for &name in scenario.statements() {
            if !name.contains("::") {
                writeln!(script, "{name};")?;
                continue;
            }
            let filled = sql::fill(sql::find(name)?, |parameter| {
                value(scenario, name, parameter, client)
            });
            let filled = filled.with_context(|| format!("in {name}"))?;
            writeln!(script, "{filled};")?;
        }
    }
    script += "\\endif\n";
    Ok(script)
}

/// Returns the SQL for a parameter of a statement.
fn value(scenario: Scenario, statement: &str, parameter: &str, client: usize) -> Option<String> {
    let is_new = scenario == Scenario::SignUp;
    let user = if is_new {
        NEW_ID.to_owned()
    } else {
        format!(":user_{client}")
    };
    let text = match (statement, parameter) {
        ("sessions::advance", "id") | (_, "session_id") => format!(":session_{client}"),
        ("sessions::open_session", "id") => NEW_ID.to_owned(),
        (
            "sessions::open_session",
            "flow_id" | "identity_data" | "subject" | "v1_token" | "passkey_id" | "sign_count"
            | "backed_up",
        ) => "null".to_owned(),
        ("audit::insert" | "identities::insert_external", "id") | (_, "audit_id") => {
            "gen_random_uuid()".to_owned()
        }
        (_, "provider_id" | "subject") => format!("cast({user} as text)"),
        (_, "id" | "user_id") => user,
        (_, "email") if is_new => format!("'pgbench-' || cast({NEW_ID} as text)"),
        (_, "email") => format!(":email_{client}"),
        (_, "counter") => "refresh_token_counter".to_owned(),
        (_, "now" | "at" | "refreshed_at" | "email_confirmed_at") => ":now".to_owned(),
        (_, "payload" | "audit_payload" | "data" | "app_metadata" | "user_metadata") => {
            ":payload".to_owned()
        }
        (_, "hmac_key") => ":hmac_key".to_owned(),
        (_, "encrypted_password") => ":hash".to_owned(),
        (_, "aud") => format!("'{AUDIENCE}'"),
        (_, "user_agent") => format!("'{AGENT}'"),
        (_, "ip" | "address" | "audit_address") => format!("'{ADDRESS}'"),
        (_, "method") => "'password'".to_owned(),
        (_, "provider") => "'email'".to_owned(),
        (_, "role") => "''".to_owned(),
        (_, "audited") => "true".to_owned(),
        (_, "is_anonymous" | "is_sso_user") => "false".to_owned(),
        (_, "not_after" | "tag" | "phone" | "phone_confirmed_at" | "invited_at") => {
            "null".to_owned()
        }
        _ => return None,
    };
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_with_statements_has_a_script() {
        for scenario in Scenario::ALL {
            let script = script(scenario).unwrap();
            assert_eq!(script.matches("\\elif").count(), CONNECTIONS - 1);
        }
        let refresh = script(Scenario::Refresh).unwrap();
        assert!(refresh.contains(":session_7") && !refresh.contains(":session_id"));
    }
}
