//! What the application is asked and told, and what its answers do.

mod accounts;
mod bad_answers;
mod email;
mod functions;
mod password;
mod slow;
mod token;
