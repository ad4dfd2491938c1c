-- Single-session limits count per tag.
alter table sessions
    add column if not exists tag text;
