-- 20211122151130 makes the same index; a history that lost that step gets it here.
create index if not exists identities_user_id_idx
    on identities (user_id);
