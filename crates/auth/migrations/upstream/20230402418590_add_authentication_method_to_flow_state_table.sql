-- The session that a flow ends in must say how the user proved who they are.
alter table flow_state
    add column if not exists authentication_method text;

update flow_state
set authentication_method = 'oauth'
where authentication_method is null;

alter table flow_state
    alter column authentication_method set not null;

create index if not exists idx_user_id_auth_method
    on flow_state (user_id, authentication_method);
