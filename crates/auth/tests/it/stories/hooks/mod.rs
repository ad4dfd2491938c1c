//! Hooks: the calls that the application receives, and the effects of its replies.

mod accounts;
mod bad_answers;
mod email;
mod functions;
mod password;
mod slow;
mod token;
