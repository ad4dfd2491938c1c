-- A link's token must find one user. Short codes of digits may repeat, and empty columns do.
create unique index if not exists confirmation_token_idx
    on users (confirmation_token)
    where confirmation_token !~ '^[0-9 ]*$';

create unique index if not exists recovery_token_idx
    on users (recovery_token)
    where recovery_token !~ '^[0-9 ]*$';

create unique index if not exists email_change_token_current_idx
    on users (email_change_token_current)
    where email_change_token_current !~ '^[0-9 ]*$';

create unique index if not exists email_change_token_new_idx
    on users (email_change_token_new)
    where email_change_token_new !~ '^[0-9 ]*$';

create unique index if not exists reauthentication_token_idx
    on users (reauthentication_token)
    where reauthentication_token !~ '^[0-9 ]*$';
