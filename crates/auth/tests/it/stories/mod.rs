//! Several routes at once, as people use them.

mod confirm_then_sign_in;
