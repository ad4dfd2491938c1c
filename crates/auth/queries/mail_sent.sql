-- The timers that keep the interval between mails to one address, whether or not a user has it.

--! try_mark
-- Starts the timer of an address unless it was started after the threshold. Returns a row if it started.
insert into innkeeper_mail_sent
       (address_mac, kind, sent_at)
values (:address_mac, :kind, :now)
    on conflict (address_mac, kind)
    do update set sent_at = excluded.sent_at
              where innkeeper_mail_sent.sent_at <= :threshold
returning sent_at;

--! find_mark
select m.sent_at
  from innkeeper_mail_sent m
 where m.address_mac = :address_mac
   and m.kind = :kind;

--! forget_mark
delete from innkeeper_mail_sent
 where address_mac = :address_mac
   and kind = :kind;

--! forget_before
delete from innkeeper_mail_sent
 where sent_at < :threshold;
