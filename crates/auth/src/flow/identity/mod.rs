//! Sign-in with external providers, and the identities that users have there.

pub(crate) mod account;
pub(crate) mod callback;
mod confirmation;
mod create;
pub(crate) mod decision;
pub(crate) mod finish;
pub(crate) mod flow;
mod invitation;
pub(crate) mod link;
pub(crate) mod provider_claim;
pub(crate) mod unlink;
mod unverified;
