-- Text messages wait in the same table as mails, and each channel has its own sender: a provider that does not answer
-- must not hold up the mails.
alter table innkeeper_outbox add column if not exists channel text not null default 'mail';
