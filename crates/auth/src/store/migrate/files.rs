//! The SQL of the migrations, compiled in.

use innkeeper_service::migrate::Migration;

macro_rules! files {
    ($folder:literal: $($name:literal)*) => {
        &[$(Migration {
            name: $name,
            sql: include_str!(concat!("../../../migrations/", $folder, "/", $name, ".sql")),
        }),*]
    };
}

/// GoTrue's history, of which an existing database may have any part.
#[rustfmt::skip]
pub(super) const UPSTREAM: &[Migration] = files! { "upstream":
    "00_init_auth_schema"
    "20210710035447_alter_users"
    "20210722035447_adds_confirmed_at"
    "20210730183235_add_email_change_confirmed"
    "20210909172000_create_identities_table"
    "20210927181326_add_refresh_token_parent"
    "20211122151130_create_user_id_idx"
    "20211124214934_update_auth_functions"
    "20211202183645_update_auth_uid"
    "20220114185221_update_user_idx"
    "20220114185340_add_banned_until"
    "20220224000811_update_auth_functions"
    "20220323170000_add_user_reauthentication"
    "20220429102000_add_unique_idx"
    "20220531120530_add_auth_jwt_function"
    "20220614074223_add_ip_address_to_audit_log"
    "20220811173540_add_sessions_table"
    "20221003041349_add_mfa_schema"
    "20221003041400_add_aal_and_factor_id_to_sessions"
    "20221011041400_add_mfa_indexes"
    "20221020193600_add_sessions_user_id_index"
    "20221021073300_add_refresh_tokens_session_id_revoked_index"
    "20221021082433_add_saml"
    "20221027105023_add_identities_user_id_idx"
    "20221114143122_add_session_not_after_column"
    "20221114143410_remove_parent_foreign_key_refresh_tokens"
    "20221125140132_backfill_email_identity"
    "20221208132122_backfill_email_last_sign_in_at"
    "20221215195500_modify_users_email_unique_index"
    "20221215195800_add_identities_email_column"
    "20221215195900_remove_sso_sessions"
    "20230116124310_alter_phone_type"
    "20230116124412_add_deleted_at"
    "20230131181311_backfill_invite_identities"
    "20230322519590_add_flow_state_table"
    "20230402418590_add_authentication_method_to_flow_state_table"
    "20230411005111_remove_duplicate_idx"
    "20230508135423_add_cleanup_indexes"
    "20230523124323_add_mfa_challenge_cleanup_index"
    "20230818113222_add_flow_state_to_relay_state"
    "20230914180801_add_mfa_factors_user_id_idx"
    "20231027141322_add_session_refresh_columns"
    "20231114161723_add_sessions_tag"
    "20231117164230_add_id_pkey_identities"
    "20240115144230_remove_ip_address_from_saml_relay_state"
    "20240214120130_add_is_anonymous_column"
    "20240306115329_add_issued_at_to_flow_state"
    "20240314092811_add_saml_name_id_format"
    "20240427152123_add_one_time_tokens_table"
    "20240612123726_enable_rls_update_grants"
    "20240729123726_add_mfa_phone_config"
    "20240802193726_add_mfa_factors_column_last_challenged_at"
    "20240806073726_drop_uniqueness_constraint_on_phone"
    "20241009103726_add_web_authn"
    "20250717082212_add_disabled_to_sso_providers"
    "20250731150234_add_oauth_clients_table"
    "20250804100000_add_oauth_authorizations_consents"
    "20250901200500_add_oauth_client_type"
    "20250903112500_remove_oauth_client_id_column"
    "20250904133000_add_oauth_client_id_to_session"
    "20250925093508_add_last_webauthn_challenge_data"
    "20251007112900_add_session_refresh_token_columns"
    "20251104100000_add_nonce_to_oauth_authorizations"
    "20251111201300_add_scopes_to_sessions"
    "20251201000000_add_oauth_client_states_table"
    "20260115000000_add_flow_state_oauth_context"
    "20260121000000_add_token_endpoint_auth_method"
    "20260219120000_add_custom_oauth_providers"
    "20260302000000_add_passkeys"
    "20260625000000_add_custom_claims_allowlist"
};

/// The migration that records whether GoTrue used the schema. It is applied twice: before all others, and in its turn.
pub(super) const TAKEOVER: &Migration = &files! { "own": "0013_takeover" }[0];

/// The history of the tables that only this server has.
#[rustfmt::skip]
pub(super) const OWN: &[Migration] = files! { "own":
    "0001_bookkeeping"
    "0002_signing_keys"
    "0003_one_time_codes"
    "0004_mail_sent"
    "0005_secrets"
    "0006_user_list"
    "0007_outbox"
    "0008_key_ends"
    "0009_earlier_links"
    "0010_flow_secrets"
    "0011_sms"
    "0012_factors"
    "0013_takeover"
};

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Migration, OWN, UPSTREAM};

    fn on_disk(folder: &str) -> Vec<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("migrations")
            .join(folder);
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .map(|name| name.strip_suffix(".sql").unwrap().to_owned())
            .collect();
        names.sort();
        names
    }

    fn names(files: &[Migration]) -> Vec<&str> {
        files.iter().map(|file| file.name).collect()
    }

    #[test]
    fn every_file_of_the_folder_is_compiled_in_and_in_order() {
        assert_eq!(names(UPSTREAM), on_disk("upstream"));
        assert_eq!(names(OWN), on_disk("own"));
    }

    #[test]
    fn the_history_has_seventy_different_versions() {
        let mut versions: Vec<&str> = UPSTREAM.iter().map(Migration::version).collect();
        versions.dedup();
        assert_eq!(versions.len(), 70);
        assert_eq!(versions.first(), Some(&"00"));
        assert_eq!(versions.last(), Some(&super::super::LAST_VERSION));
        // A `schema_migrations` table that GoTrue has created has no room for more.
        assert!(versions.iter().all(|version| version.len() <= 14));
    }

    #[test]
    fn every_file_begins_with_a_comment() {
        for file in UPSTREAM.iter().chain(OWN) {
            assert!(file.sql.starts_with("-- "), "{}", file.name);
        }
    }
}
