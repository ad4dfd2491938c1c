//! Finds accounts by email address or phone number.

use innkeeper_service::database::Executor;

use super::User;
use crate::base::contact::Contact;
use crate::store;

/// Finds the account with this email address or phone number in this audience.
pub(crate) async fn find(
    conn: &dyn Executor,
    aud: &str,
    contact: &Contact,
) -> store::Result<Option<User>> {
    match contact {
        Contact::Email(email) => store::users::find_by_email(conn, aud, email.as_str()).await,
        Contact::Phone(phone) => store::users::find_by_phone(conn, aud, phone.as_str()).await,
    }
}

/// Does the same as [`find`], and locks the account until the transaction ends.
pub(crate) async fn lock(
    conn: &dyn Executor,
    aud: &str,
    contact: &Contact,
) -> store::Result<Option<User>> {
    match contact {
        Contact::Email(email) => store::users::lock_by_email(conn, aud, email.as_str()).await,
        Contact::Phone(phone) => store::user_phones::lock_by_phone(conn, aud, phone.as_str()).await,
    }
}

/// Finds the account with this email address or phone number in any audience, and locks it.
pub(crate) async fn lock_in_any_audience(
    conn: &dyn Executor,
    contact: &Contact,
) -> store::Result<Option<User>> {
    match contact {
        Contact::Email(email) => store::users::lock_holder(conn, email.as_str()).await,
        Contact::Phone(phone) => {
            store::user_phones::lock_in_any_audience(conn, phone.as_str()).await
        }
    }
}
