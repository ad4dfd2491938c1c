-- The rate of mails, and that of text messages, of the whole server. The same statement starts the timer of the
-- recipient, so that a request needs one query: no message is counted unless the interval of the recipient is over.

-- Whether the timer of the address was started, and whether the mails were counted.
--: Taken()

--! claim_hourly : Taken
-- A number of mails per hour; an hour begins with its first mail.
with marked as (
       insert into innkeeper_mail_sent
              (address_mac, kind, sent_at)
       select cast(:address_mac as bytea), cast(:kind as text), cast(:now as timestamptz)
        where cast(:is_paced as boolean)
           on conflict (address_mac, kind)
           do update set sent_at = excluded.sent_at
                     where innkeeper_mail_sent.sent_at <= :threshold
    returning sent_at),
     counted as (
       insert into innkeeper_mail_budget as b
              (name, since, used)
       select cast(:name as text), cast(:now as timestamptz), cast(:mails as integer)
        where not cast(:is_paced as boolean) or exists (select from marked)
           on conflict (name)
           do update set since = case when b.since <= :hour_ago then :now else b.since end,
                         used = case when b.since <= :hour_ago then 0 else b.used end + :mails
                     where b.since <= :hour_ago
                        or b.used + :mails <= :size
    returning b.since)
select exists (select from marked) as is_marked,
       exists (select from counted) as is_counted;

--! claim_from_bucket : Taken
-- A token bucket: one mail more after each refill time. `since` is the time when the bucket is full.
with marked as (
       insert into innkeeper_mail_sent
              (address_mac, kind, sent_at)
       select cast(:address_mac as bytea), cast(:kind as text), cast(:now as timestamptz)
        where cast(:is_paced as boolean)
           on conflict (address_mac, kind)
           do update set sent_at = excluded.sent_at
                     where innkeeper_mail_sent.sent_at <= :threshold
    returning sent_at),
     counted as (
       insert into innkeeper_mail_budget as b
              (name, since, used)
       select cast(:name as text), cast(:now as timestamptz) + make_interval(secs => :cost), 0
        where not cast(:is_paced as boolean) or exists (select from marked)
           on conflict (name)
           do update set since = greatest(b.since, :now) + make_interval(secs => :cost)
                     where greatest(b.since, :now) + make_interval(secs => :cost)
                           <= :now + make_interval(secs => :capacity)
    returning b.since)
select exists (select from marked) as is_marked,
       exists (select from counted) as is_counted;

--! give_back
-- Takes back mails that were not sent after all.
update innkeeper_mail_budget
   set used = greatest(used - :mails, 0),
       since = since - make_interval(secs => :cost)
 where name = :name;

--! find_budget
select b.since
  from innkeeper_mail_budget b
 where b.name = :name;
