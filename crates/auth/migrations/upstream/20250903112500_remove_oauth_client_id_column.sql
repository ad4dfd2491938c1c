-- The row's id is the public name of the application; a second one only invited mistakes.
drop index if exists oauth_clients_client_id_idx;

alter table oauth_clients
    drop constraint if exists oauth_clients_client_id_key,
    drop column if exists client_id;
