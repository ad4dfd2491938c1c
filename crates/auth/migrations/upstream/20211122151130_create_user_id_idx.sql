-- The identities of a user are read with every user.
create index if not exists identities_user_id_idx
    on identities (user_id);
