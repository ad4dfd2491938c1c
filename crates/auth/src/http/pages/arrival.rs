//! What follows a link or a code that was accepted: the page that its user wants to see next.

use innkeeper_rest::Response;

use super::notice::Notice;
use super::paths::PagePath;
use super::visit::Visit;
use crate::base::error::Result;
use crate::flow::one_time::verify::Verification;
use crate::flow::one_time::verify_type::VerifyType;

/// Signs the browser in and sends it on.
pub(super) async fn arrive(visit: &mut Visit<'_>, verified: Verification) -> Result<Response> {
    let (lacks_password, has_password, resolved) = match verified {
        Verification::SignedIn(issued, resolved) => {
            visit.sign_in(&issued).await;
            let has_password = issued.body.user.encrypted_password.is_some();
            (issued.body.message.is_some(), has_password, resolved)
        }
        Verification::Half => {
            visit.leave_notice(Notice::EmailChangeHalf);
            return visit.go_to(PagePath::Account);
        }
        // Pages request no links with a code challenge.
        Verification::Exchange { .. } => return visit.go_to(PagePath::SignIn),
    };
    let (notice, page) = match resolved {
        _ if lacks_password => (Some(Notice::PasswordNotStored), PagePath::NewPassword),
        VerifyType::Recovery => (None, PagePath::NewPassword),
        VerifyType::Invite if !has_password => {
            (Some(Notice::ChoosePassword), PagePath::NewPassword)
        }
        VerifyType::Signup => (Some(Notice::AddressConfirmed), PagePath::Account),
        VerifyType::EmailChange => (Some(Notice::EmailChanged), PagePath::Account),
        _ => (None, PagePath::Account),
    };
    if let Some(notice) = notice {
        visit.leave_notice(notice);
    }
    visit.go_to(page)
}
