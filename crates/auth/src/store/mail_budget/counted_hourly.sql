-- A number of messages per hour; an hour begins with its first message.
     counted as (
       insert into innkeeper_mail_budget as b
              (name, since, used)
       select cast(:name as text), cast(:now as timestamptz), cast(:messages as integer)
        where not cast(:is_paced as boolean) or exists (select from marked)
           on conflict (name)
           do update set since = case when b.since <= :hour_ago then :now else b.since end,
                         used = case when b.since <= :hour_ago then 0 else b.used end + :messages
                     where b.since <= :hour_ago
                        or b.used + :messages <= :size
    returning b.since)
