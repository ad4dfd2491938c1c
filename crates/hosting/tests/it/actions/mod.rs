//! Actions on machines, on engines in memory: what becomes of requests, crashes and outages.

mod idempotency; // repeated requests
mod lab; // a server whose process can be killed
mod outages; // engines that are away or hang
mod power_cycle; // one action after the other
mod preemption; // one action while another has not ended
mod quota; // too much disk
mod reconcile; // changes that nobody asked for
mod retention; // how long actions are kept
mod takeover; // kills in the middle of actions
