//! `innkeeper openapi auth`.

use anyhow::Context;
use innkeeper_auth::Auth;

use crate::output;

pub(super) fn run() -> anyhow::Result<()> {
    // The parts of the server are put together as for serving, and some of them start tasks.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start")?;
    let document = runtime.block_on(async { Auth::openapi() });
    output::print_json(&document.context("the document cannot be written")?)
}
