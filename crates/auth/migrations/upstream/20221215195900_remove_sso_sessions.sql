-- Sessions carry their own end, so the table that limited those of single sign-on has no use.
drop table if exists sso_sessions;
