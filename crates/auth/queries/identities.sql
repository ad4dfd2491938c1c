-- Ways to sign in to an account.

--! insert_identity
-- What returns something is kept prepared.
insert into identities
       (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
values (:id, :provider_id, :user_id, :identity_data, :provider, :now, :now, :now)
returning id;

--! merge_data
-- Merges members into what is known of an identity.
update identities
   set identity_data = identity_data || :data,
       updated_at = :now
 where user_id = :user_id
   and provider = :provider;

--! replace_data
-- Forgets what was known of an identity.
update identities
   set identity_data = :data,
       updated_at = :now
 where user_id = :user_id
   and provider = :provider;

--! delete_others
-- What an unconfirmed account was given by somebody who may not own the address.
delete from identities
 where user_id = :user_id
   and provider <> :provider;

--! anonymise
update identities
   set provider_id = :provider_id,
       identity_data = '{}',
       updated_at = :now
 where id = :id;
