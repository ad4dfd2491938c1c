//! `GET /admin/users`: an operator reads the list of accounts.

use crate::app::App;
use crate::base::error::Result;
use crate::flow::user::User;
use crate::store;
use crate::store::user_list::UserFilter;

/// Returns one page of the accounts that a filter selects, and the number of all of them.
pub(crate) async fn page(
    app: &App,
    filter: &UserFilter,
    newest_first: bool,
    limit: usize,
    offset: usize,
) -> Result<(Vec<User>, i64)> {
    let conn = app.shared().await?;
    if filter.is_exact() {
        let mut users = store::user_list::list_exact(&conn, filter).await?;
        if !newest_first {
            users.reverse();
        }
        let total = to_i64(users.len());
        let users = users.into_iter().skip(offset);
        return Ok((users.take(limit).collect(), total));
    }
    let total = store::user_list::count(&conn, filter).await?;
    let (limit, offset) = (to_i64(limit), to_i64(offset));
    let users = store::user_list::list(&conn, filter, newest_first, limit, offset).await?;
    Ok((users, total))
}

fn to_i64(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
