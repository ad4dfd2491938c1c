//! `one_time_tokens` and `innkeeper_one_time_codes`: links and codes that can be used once.

use innkeeper_service::database::{rows, statements};
use jiff::Timestamp;
use uuid::Uuid;

/// The hashes of a link and a code to be stored.
#[derive(Debug)]
pub(crate) struct NewOneTimeToken<'a> {
    pub(crate) user_id: Uuid,
    pub(crate) kind: &'a str,
    pub(crate) token_hash: &'a str,
    pub(crate) relates_to: &'a str,
    pub(crate) code_mac: &'a [u8],
    pub(crate) carries_password: bool,
    /// The PKCE flow that the link belongs to.
    pub(crate) flow_id: Option<Uuid>,
}

rows! {
    /// A link.
    #[derive(Debug)]
    pub(crate) struct LinkRow {
        pub(crate) user_id: Uuid,
        pub(crate) kind: String,
        pub(crate) relates_to: String,
        pub(crate) sent_at: Timestamp,
        pub(crate) carries_password: Option<bool>,
        pub(crate) flow_id: Option<Uuid>,
    }

    /// A link of GoTrue.
    #[derive(Debug)]
    pub(crate) struct FormerLinkRow {
        pub(crate) user_id: Uuid,
        pub(crate) kind: String,
        pub(crate) sent_at: Option<Timestamp>,
        pub(crate) carries_password: Option<bool>,
    }

    /// An unused code.
    #[derive(Debug)]
    pub(crate) struct CodeRow {
        pub(crate) kind: String,
        pub(crate) code_mac: Option<Vec<u8>>,
        /// The number of wrong attempts.
        pub(crate) attempts: i32,
        pub(crate) carries_password: bool,
        pub(crate) created_at: Timestamp,
        pub(crate) relates_to: Option<String>,
    }

    /// The hashes that GoTrue stored of codes, and when it sent them.
    #[derive(Debug)]
    pub(crate) struct FormerRow {
        pub(crate) confirmation_token: Option<String>,
        pub(crate) recovery_token: Option<String>,
        pub(crate) email_change_token_new: Option<String>,
        pub(crate) email_change_token_current: Option<String>,
        pub(crate) phone_change_token: Option<String>,
        pub(crate) reauthentication_token: Option<String>,
        pub(crate) confirmation_sent_at: Option<Timestamp>,
        pub(crate) recovery_sent_at: Option<Timestamp>,
        pub(crate) email_change_sent_at: Option<Timestamp>,
        pub(crate) phone_change_sent_at: Option<Timestamp>,
        pub(crate) reauthentication_sent_at: Option<Timestamp>,
    }
}

/// The cases of a kind: the hash in the column of the user.
const HASH_OF_KIND: &str = "
       when 'confirmation_token' then u.confirmation_token
       when 'recovery_token' then u.recovery_token
       when 'email_change_token_new' then u.email_change_token_new
       when 'email_change_token_current' then u.email_change_token_current
       when 'phone_change_token' then u.phone_change_token
       when 'reauthentication_token' then u.reauthentication_token
     end";

statements! {
    /// Stores a link and a code. Earlier ones of the same kind stop working, except for the links of sign-ups.
    pub(crate) async fn replace(token: &NewOneTimeToken<'_>, now: Timestamp)
    where {
        user_id: Uuid = token.user_id,
        kind: &str = token.kind,
        token_hash: &str = token.token_hash,
        relates_to: &str = token.relates_to,
        code_mac: &[u8] = token.code_mac,
        carries_password: bool = token.carries_password,
        flow_id: Option<Uuid> = token.flow_id,
        now: Timestamp,
    }
    { include_str!("one_time_tokens/replace.sql") }

    /// Finds the link whose secret has this hash.
    pub(crate) async fn find_by_link(token_hash: &str) -> Option<LinkRow> {
        include_str!("one_time_tokens/find_by_link.sql")
    }

    /// Finds a link of GoTrue, which stores links as it sends them.
    pub(crate) async fn find_by_gotrue_link(link: &str) -> Option<FormerLinkRow> {
        include_str!("one_time_tokens/find_by_gotrue_link.sql")
    }

    /// Lists the unused codes of a user, with the number of wrong attempts. Those that GoTrue has replaced or used
    /// since are left out: GoTrue only changes the columns of the user.
    pub(crate) async fn list_codes(user_id: Uuid) -> Vec<CodeRow> {
        "select c.token_type::text as kind, c.code_mac, c.attempts, c.carries_password, c.created_at, t.relates_to
           from innkeeper_one_time_codes c
           join users u on u.id = c.user_id
           left join one_time_tokens t on t.user_id = c.user_id and t.token_type = c.token_type
          where c.user_id = :user_id
            and c.link_hash = case c.token_type::text", HASH_OF_KIND
    }

    /// Finds the hashes that GoTrue stored of the codes it sent to a user.
    pub(crate) async fn find_gotrue_hashes(user_id: Uuid) -> Option<FormerRow> {
        "select u.confirmation_token, u.recovery_token, u.email_change_token_new, u.email_change_token_current,
                u.phone_change_token, u.reauthentication_token, u.confirmation_sent_at, u.recovery_sent_at,
                u.email_change_sent_at, u.phone_change_sent_at, u.reauthentication_sent_at
           from users u
          where u.id = :user_id"
    }

    /// Counts a wrong attempt against the unused code of this kind, if there is one. GoTrue's codes have no row here
    /// until the first wrong attempt; attempts that were counted for another code do not count.
    pub(crate) async fn count_attempt(user_id: Uuid, kind: &str, now: Timestamp) {
        "insert into innkeeper_one_time_codes as c
                (user_id, token_type, code_mac, link_hash, attempts, carries_password, created_at)
         select u.id, cast(:kind as text)::one_time_token_type, null, k.link_hash, 1, false, :now
           from users u
          cross join lateral (select case cast(:kind as text)", HASH_OF_KIND, "as link_hash) k
          where u.id = :user_id
            and k.link_hash <> ''
             on conflict (user_id, token_type)
             do update set attempts = case when c.link_hash = excluded.link_hash then c.attempts + 1 else 1 end,
                           code_mac = case when c.link_hash = excluded.link_hash then c.code_mac end,
                           link_hash = excluded.link_hash"
    }

    /// Deletes the link and the code of one kind.
    pub(crate) async fn clear_kind(user_id: Uuid, kind: &str) {
        include_str!("one_time_tokens/clear_kind.sql")
    }

    /// Deletes all links and codes of a user.
    pub(crate) async fn clear_all(user_id: Uuid) {
        include_str!("one_time_tokens/clear_all.sql")
    }

    /// Deletes the times at which messages were sent to a user, as if nothing had been sent.
    pub(crate) async fn forget_sent_times(user_id: Uuid) {
        "update users
            set confirmation_sent_at = null,
                recovery_sent_at = null,
                email_change_sent_at = null,
                phone_change_sent_at = null,
                reauthentication_sent_at = null
          where id = :user_id"
    }
}
