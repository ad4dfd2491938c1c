//! The time from the start of a server to its first responses, on a migrated database.

use std::time::Duration;

use anyhow::Result;
use innkeeper_service::cluster::Cluster;
use tokio::time::Instant;

use crate::Plan;
use crate::load::Sample;
use crate::results::{Results, START};
use crate::server::{Kind, Subject, wait_for};

const STARTS: usize = 5;

/// Medians of one server, in milliseconds.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) subject: Subject,
    pub(crate) health_ms: f64,
    pub(crate) settings_ms: f64,
}

/// Starts every server several times.
pub(crate) async fn measure(
    plan: &Plan,
    cluster: &Cluster,
    results: &mut Results,
) -> Result<Vec<Started>> {
    let mut all = Vec::new();
    for kind in [Kind::INNKEEPER, Kind::LITE] {
        if plan.has(kind.subject) {
            all.push(of_kind(plan, cluster, kind, results).await?);
        }
    }
    Ok(all)
}

async fn of_kind(
    plan: &Plan,
    cluster: &Cluster,
    kind: Kind,
    results: &mut Results,
) -> Result<Started> {
    let name = format!("start_{}", kind.label());
    cluster.ensure_database(&name).await?;
    let folder = plan.places.folder_of(&name)?;
    let (mut health, mut settings) = (Vec::new(), Vec::new());
    for number in 0..=STARTS {
        let start = Instant::now();
        let (mut process, site) = kind.spawn(&plan.places, &folder, &cluster.url(&name))?;
        wait_for(&mut process, &site, "/health").await?;
        let answered = start.elapsed();
        wait_for(&mut process, &site, "/settings").await?;
        let served = start.elapsed();
        process.stop().await?;
        // The first start creates the tables.
        if number > 0 {
            health.push(answered);
            settings.push(served);
        }
    }
    let sample = |times: Vec<Duration>| Sample::of(times, Duration::from_secs(1));
    let health_ms = sample(health)?.p50_ms;
    let settings = sample(settings)?;
    let settings_ms = settings.p50_ms;
    // Starts per second are meaningless.
    let settings = Sample {
        per_s: 0.0,
        ..settings
    };
    results.add(kind.row(START), settings);
    Ok(Started {
        subject: kind.subject,
        health_ms,
        settings_ms,
    })
}
