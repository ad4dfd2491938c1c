-- Passkeys, and the challenges with which they are registered and used.

--: PasskeyRow(last_used_at?)

--! open_challenge (user_id?)
-- Returns a value because only such statements stay prepared.
insert into webauthn_challenges
       (id, user_id, challenge_type, session_data, created_at, expires_at)
values (:id, :user_id, :challenge_type, :session_data, :now, :expires_at)
returning id;

--! consume_registration : RegistrationRow()
-- Takes the challenge of a registration, whatever comes of it. Another user, or another session of the same user, does
-- not find it.
delete from webauthn_challenges
 where id = :id
   and challenge_type = 'registration'
   and user_id = :user_id
   and session_data->>'session_id' = :session_id
returning session_data, expires_at;

--! consume_sign_in : SignInRow(passkey_id?, user_id?, public_key?, sign_count?, backup_eligible?, backed_up?)
-- Takes the challenge of a sign-in, whatever comes of it, and reads the passkey that was presented, if it is known.
with challenge as (
       delete from webauthn_challenges
        where id = :id
          and challenge_type = 'authentication'
    returning session_data, expires_at)
select c.session_data,
       c.expires_at,
       w.id as passkey_id,
       w.user_id,
       w.public_key,
       w.sign_count,
       w.backup_eligible,
       w.backed_up
  from challenge c
  left join webauthn_credentials w on w.credential_id = :credential_id;

--! list_passkeys : PasskeyRow
select id,
       credential_id,
       friendly_name,
       created_at,
       last_used_at
  from webauthn_credentials
 where user_id = :user_id
 order by created_at, id;

--! insert_passkey (aaguid?)
insert into webauthn_credentials
       (id, user_id, credential_id, public_key, attestation_type, aaguid, sign_count, transports, backup_eligible,
        backed_up, friendly_name, created_at, updated_at)
values (:id, :user_id, :credential_id, :public_key, :attestation_type, :aaguid, :sign_count, :transports,
        :backup_eligible, :backed_up, :friendly_name, :now, :now);

--! rename_passkey : PasskeyRow
update webauthn_credentials
   set friendly_name = :friendly_name,
       updated_at = :now
 where id = :id
   and user_id = :user_id
returning id, credential_id, friendly_name, created_at, last_used_at;

--! delete_passkey
delete from webauthn_credentials
 where id = :id
   and user_id = :user_id
returning id;
