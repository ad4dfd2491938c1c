-- The ways in which a user can sign in.

--! insert_identity
-- It returns a value because only such statements stay prepared.
insert into identities
       (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
values (:id, :provider_id, :user_id, :identity_data, :provider, :now, :now, :now)
returning id;

--! merge_data
-- Merges members into the data of an identity.
update identities
   set identity_data = identity_data || :data,
       updated_at = :now
 where user_id = :user_id
   and provider = :provider;

--! replace_data
-- Replaces the data of an identity.
update identities
   set identity_data = :data,
       updated_at = :now
 where user_id = :user_id
   and provider = :provider;

--! delete_others
-- Identities that somebody who may not own the address gave to an unconfirmed user.
delete from identities
 where user_id = :user_id
   and provider <> :provider;

--! delete_unproven
-- All identities but one, which is the only one that proves that the user owns the address.
delete from identities
 where user_id = :user_id
   and not (provider = :provider and provider_id = :subject);

--! delete_of_user
delete from identities
 where id = :id
   and user_id = :user_id;

--! anonymise
update identities
   set provider_id = :provider_id,
       identity_data = '{}',
       updated_at = :now
 where id = :id;
