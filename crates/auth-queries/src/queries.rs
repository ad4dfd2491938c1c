// This file was generated with `cornucopia`. Do not modify.

pub mod audit_log_entries;
pub mod cleanup;
pub mod custom_providers;
pub mod factors;
pub mod flow_states;
pub mod identities;
pub mod mail_budget;
pub mod mail_sent;
pub mod one_time_tokens;
pub mod outbox;
pub mod passkeys;
pub mod recovery_codes;
pub mod refresh_tokens;
pub mod sessions;
pub mod signing_keys;
pub mod users;
