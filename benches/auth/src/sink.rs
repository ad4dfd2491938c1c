//! A mail server for the benchmarked servers.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context, Result};
use innkeeper_service::smtp_sink::{SinkBehaviour, SinkOptions, SmtpSink};

/// Starts a mail server on its own thread, so that it does not disturb the measuring thread.
pub(crate) fn start(behaviour: SinkBehaviour) -> Result<Arc<SmtpSink>> {
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let anywhere = SocketAddr::from(([127, 0, 0, 1], 0));
            let options = SinkOptions {
                behaviour,
                ..SinkOptions::default()
            };
            tell.send(Arc::new(SmtpSink::bind(anywhere, options).await?))?;
            std::future::pending::<()>().await;
            Ok(())
        })
    });
    told.recv().context("no mail server")
}
