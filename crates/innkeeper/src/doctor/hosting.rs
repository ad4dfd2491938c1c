//! The hosting server: settings, content, database, shared limits.

use innkeeper_hosting::config::Config;
use innkeeper_service::clock::Clock;
use innkeeper_service::settings::{Faults, Reader};

use super::findings::Findings;
use super::{database, redis};
use crate::auth::with_causes;

const PART: &str = "hosting";

pub(super) async fn look(findings: &mut Findings, mut reader: Reader) {
    let config = match Config::read(&mut reader) {
        Ok(config) => config,
        Err(Faults(faults)) => {
            for fault in faults {
                findings.wrong(
                    PART,
                    fault.to_string(),
                    "docs/settings.md says what it may be",
                );
            }
            return;
        }
    };
    findings.ok(PART, "the settings are right");
    for remark in &config.warnings {
        findings.warn(PART, remark.clone(), "");
    }
    look_at_content(findings, &config);
    if config.database.url.is_none() {
        findings.note(
            PART,
            "there is no database: no history of the status, no feedback",
        );
    } else {
        match innkeeper_hosting::examine_database(&config, &Clock::system()).await {
            Ok(examined) => database::judge(findings, PART, examined),
            Err(error) => findings.wrong(
                PART,
                format!("the database: {}", with_causes(&error)),
                "see that it runs and that HOSTING_DATABASE_URL names it",
            ),
        }
    }
    let shared = config.limits.redis_url.as_ref();
    redis::look(findings, PART, shared, "HOSTING_REDIS_URL").await;
}

fn look_at_content(findings: &mut Findings, config: &Config) {
    match innkeeper_hosting::open(&config.content) {
        Ok(shelves) => {
            let library = shelves.library();
            let articles = library.len();
            match library.problems().len() {
                0 => findings.ok(PART, format!("the content is right: {articles} articles")),
                number => findings.warn(
                    PART,
                    format!(
                        "{number} files of the content are wrong; {articles} articles are right"
                    ),
                    "`innkeeper hosting content check` names them",
                ),
            }
        }
        Err(error) => findings.wrong(
            PART,
            format!("the content: {}", with_causes(&error)),
            "see that HOSTING_CONTENT_DIR names a folder that the server may read",
        ),
    }
}
