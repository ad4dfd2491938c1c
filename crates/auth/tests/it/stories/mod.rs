//! Several routes at once, as people use them.

mod bad_input;
mod ban;
mod client_js;
mod client_python;
mod concurrency;
mod confirm_then_sign_in;
mod database_away;
mod duplicate_signup;
mod email_change;
mod first_come_attacker;
mod invite;
mod keys;
mod legacy_tokens;
mod operator;
mod password_change;
mod refresh_reuse;
mod same_work;
mod sessions;
mod soft_delete;
mod takeover;
mod throttling;
