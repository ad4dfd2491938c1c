//! `innkeeper up`: both servers, their database, a mailbox and demo machines, from one process and one folder.

mod address;
mod announcement;
mod arguments;
mod banner;
mod database;
mod demo;
mod demo_provider;
mod env_file;
mod folder;
mod fresh;
mod hosting;
mod machines;
mod mailbox;
mod portal;
mod portal_settings;
mod ports;
mod services;
mod settings;
mod short_path;
mod sources;

use anyhow::Context;
use innkeeper_rest::Stop;

use crate::file_limit;
use crate::output;
pub(crate) use announcement::{Announcement, auth_settings_of, find_running, hosting_settings_of};
pub(crate) use arguments::{Arguments, DATA_DIR, EXAMPLES};
use folder::DataFolder;
#[cfg(test)]
pub(crate) use portal_settings::settings_markdown;
use services::Services;

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let folder = DataFolder::open(&arguments.data_dir)?;
    file_limit::raise();
    let runtime = tokio::runtime::Runtime::new().context("cannot start")?;
    runtime.block_on(async {
        let stop = Stop::on_signals();
        let services = tokio::select! {
            services = Services::start(arguments, &folder) => services?,
            () = stop.requested() => return Ok(()),
        };
        tokio::spawn(exit_on_second_signal(stop.clone()));
        Box::pin(services.run(stop)).await?;
        output::tell("Stopped.");
        Ok(())
    })
}

/// Reports that the shutdown has begun, and exits at once on another Ctrl-C. PostgreSQL notices the
/// end of this process by itself.
async fn exit_on_second_signal(stop: Stop) {
    stop.requested().await;
    output::tell("Stopping …");
    if tokio::signal::ctrl_c().await.is_ok() {
        std::process::exit(1);
    }
}
