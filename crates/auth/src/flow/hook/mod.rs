//! The moments at which the application is asked, and what its answers mean.

pub(crate) mod accounts;
pub(crate) mod factor;
pub(crate) mod password;
pub(crate) mod token;
