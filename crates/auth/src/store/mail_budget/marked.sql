-- The same statement starts the timer of the recipient, so that a request needs one query: no message is counted
-- unless the interval of the recipient is over.
with marked as (
       insert into innkeeper_mail_sent
              (address_mac, kind, sent_at)
       select cast(:address as bytea), cast(:timer as text), cast(:now as timestamptz)
        where cast(:is_paced as boolean)
           on conflict (address_mac, kind)
           do update set sent_at = excluded.sent_at
                     where innkeeper_mail_sent.sent_at <= :threshold
    returning sent_at),
