//! Checks the hosting server: settings, content, database, engines, shared rate limits.

use innkeeper_hosting::config::Config;
use innkeeper_hosting::model::MachineKind;
use innkeeper_service::clock::Clock;
use innkeeper_service::settings::{Faults, Reader};

use super::findings::Findings;
use super::{database, redis};
use crate::checks;
use crate::output::with_causes;

const PART: &str = "hosting";

pub(super) async fn check(findings: &mut Findings, mut reader: Reader) {
    let config = match Config::read(&mut reader) {
        Ok(config) => config,
        Err(Faults(faults)) => {
            for fault in faults {
                findings.problem(
                    PART,
                    fault.to_string(),
                    "see docs/settings.md for valid values",
                );
            }
            return;
        }
    };
    match checks::hosting(&config) {
        Ok(()) => findings.ok(PART, "the settings are valid"),
        Err(error) => findings.problem(
            PART,
            error.to_string(),
            "correct the setting; until then the server does not start",
        ),
    }
    for warning in &config.warnings {
        findings.warn(PART, warning.clone(), "");
    }
    check_content(findings, &config);
    if config.database.url.is_none() {
        findings.note(
            PART,
            "the settings name no database: there is no status history and no feedback",
        );
    } else {
        match innkeeper_hosting::examine_database(&config, &Clock::system()).await {
            Ok((database, missing)) => database::check(findings, PART, &database, &missing),
            Err(error) => findings.problem(
                PART,
                format!("the database: {}", with_causes(&error)),
                "check that it runs and that HOSTING_DATABASE_URL is correct",
            ),
        }
    }
    check_engines(findings, &config).await;
    let redis = config.limits.redis_url.as_ref();
    redis::check(findings, PART, redis, "HOSTING_REDIS_URL").await;
}

/// Checks that this host can run machines. A host that lacks something for one kind may be meant for the other.
async fn check_engines(findings: &mut Findings, config: &Config) {
    for (kind, machines) in [
        (MachineKind::Game, "game servers"),
        (MachineKind::Vps, "virtual private servers"),
    ] {
        let Some(missing) = innkeeper_hosting::missing_for_machines(config, kind).await else {
            findings.note(
                PART,
                "the settings name no folder for machines (HOSTING_MACHINES_DIR): this server runs none",
            );
            return;
        };
        if missing.is_empty() {
            findings.ok(PART, format!("this host has all that {machines} need"));
        }
        for problem in missing {
            findings.warn(
                PART,
                format!("{machines} cannot run on this host: {problem}"),
                "see docs/hosting/machines.md for what a host needs",
            );
        }
    }
}

fn check_content(findings: &mut Findings, config: &Config) {
    match innkeeper_hosting::open_content(&config.content) {
        Ok(content) => {
            let index = content.index();
            let articles = index.len();
            match index.problems().len() {
                0 => findings.ok(PART, format!("the content is valid: {articles} articles")),
                number => findings.warn(
                    PART,
                    format!("{number} content files have errors; {articles} articles are valid"),
                    "run `innkeeper hosting content check` to list them",
                ),
            }
        }
        Err(error) => findings.problem(
            PART,
            format!("the content: {}", with_causes(&error)),
            "check that HOSTING_CONTENT_DIR names a folder that the server can read",
        ),
    }
}
