//! `innkeeper openapi auth`.

use anyhow::Context;
use innkeeper_auth::Auth;

use crate::output;

pub(super) fn run() -> anyhow::Result<()> {
    // Building the server's routes spawns tasks, which needs a runtime.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start")?;
    let document = runtime.block_on(async { Auth::openapi() });
    output::print_json(&document.context("cannot write the OpenAPI document")?)
}
