//! Pages on which people sign up, sign in, reset their password and manage their account, as `PAGES` switches on.
//!
//! They stand beside the API and call what its endpoints call, with the same limits; what they add is HTML, forms and
//! cookies. Pages work without scripts, except where an authenticator is asked. [`visit::Visit`] is a request for a
//! page, [`layout::Page`] the answer.

mod account;
mod account_page;
mod arrival;
mod assets;
mod authenticator;
mod by_name;
mod ceremony;
mod code;
pub(crate) mod confirm;
mod cookies;
mod email_link;
pub(crate) mod errors;
mod factor_code;
mod factor_section;
mod files;
mod forgotten_password;
mod form;
mod html;
mod layout;
mod new_password;
mod notice;
mod parts;
mod passkey_section;
mod passkey_sign_in;
mod passkeys;
mod password_form;
pub(crate) mod paths;
mod pending;
mod phone_factor;
pub(crate) mod policy;
mod problem;
mod providers;
mod recovery_codes;
mod second_factor;
mod second_factor_page;
mod security_key;
mod sent_mail;
mod sign_in;
mod sign_up;
pub(crate) mod site;
mod step_up;
mod user_agent;
mod visit;
mod word_list;
mod words;

use std::sync::Arc;

use innkeeper_rest::RestApi;

use errors::PageErrors;
use site::Pages;

/// Returns the routes of all pages, to be mounted at [`paths::PREFIX`].
pub(crate) fn routes(pages: &Arc<Pages>) -> RestApi {
    let shared = || Arc::clone(pages);
    RestApi::new(account::Account { pages: shared() })
        .with(sign_in::SignIn { pages: shared() })
        .with(passkey_sign_in::PasskeySignIn { pages: shared() })
        .with(sign_up::SignUp { pages: shared() })
        .with(email_link::EmailLink { pages: shared() })
        .with(forgotten_password::ForgottenPassword { pages: shared() })
        .with(code::EnterCode { pages: shared() })
        .with(second_factor::SecondFactor { pages: shared() })
        .with(authenticator::Authenticator { pages: shared() })
        .with(phone_factor::PhoneFactor { pages: shared() })
        .with(security_key::SecurityKey { pages: shared() })
        .with(passkeys::Passkeys { pages: shared() })
        .with(recovery_codes::RecoveryCodes { pages: shared() })
        .with(new_password::NewPassword { pages: shared() })
        .with(providers::StartProvider { pages: shared() })
        .with(providers::ReturnFromProvider { pages: shared() })
        .with(files::PageFiles { pages: shared() })
        .automatic_options(false)
        .body_limit(BODY_LIMIT)
        .errors(PageErrors { pages: shared() })
        .filter(by_name::ByName { pages: shared() })
}

/// The limit of forms, in bytes.
const BODY_LIMIT: u64 = 64 * 1024;
