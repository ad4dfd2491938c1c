//! `innkeeper openapi hosting`.

use anyhow::anyhow;

use crate::output;
use crate::output::with_causes;

pub(super) fn run() -> anyhow::Result<()> {
    let document = innkeeper_hosting::openapi();
    output::print_json(&document.map_err(|error| anyhow!("{}", with_causes(&error)))?)
}
