-- A session carries the assurance it has reached and the factor that raised it.
alter table sessions
    add column if not exists factor_id uuid,
    add column if not exists aal aal_level;
