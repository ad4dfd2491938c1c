-- Mails and text messages to be sent, and the outcome of sending them.

-- A mail as admins see it.
--: MailRow(last_error?, ended_at?)

--! insert_mail
-- It returns a value because only such statements stay prepared.
insert into innkeeper_outbox
       (id, channel, kind, recipient, sealed, next_try_at, give_up_at, created_at)
values (:id, :channel, :kind, :recipient, :sealed, :now, :give_up_at, :now)
returning id;

--! claim_due : ClaimedRow()
-- Claims mails that are due, and mails whose claim has expired. Mails that have failed before are counted
-- separately, so that they cannot delay the others.
with fresh as (
       select o.id
         from innkeeper_outbox o
        where o.state in ('waiting', 'sending')
          and o.channel = :channel
          and o.tries = 0
          and o.next_try_at <= :now
        order by o.next_try_at
        limit :fresh
          for update skip locked),
     again as (
       select o.id
         from innkeeper_outbox o
        where o.state in ('waiting', 'sending')
          and o.channel = :channel
          and o.tries > 0
          and o.next_try_at <= :now
        order by o.next_try_at
        limit :again
          for update skip locked)
update innkeeper_outbox o
   set state = 'sending',
       tries = o.tries + 1,
       claim = :claim,
       next_try_at = :lease_end
 where o.id in (select fresh.id from fresh union all select again.id from again)
returning o.id, o.sealed, o.tries, o.created_at, o.give_up_at;

--! renew_claims
update innkeeper_outbox
   set next_try_at = :lease_end
 where id = any(:ids)
   and claim = :claim
   and state = 'sending';

--! release_claims
update innkeeper_outbox
   set state = 'waiting',
       claim = null,
       next_try_at = :now
 where claim = :claim
   and state = 'sending';

--! set_delivered
-- Whichever replica delivered it: the mail must not be sent again, even if another replica has claimed it since.
update innkeeper_outbox
   set state = 'delivered',
       sealed = null,
       claim = null,
       last_error = null,
       ended_at = :now
 where id = :id
returning id;

--! set_waiting
update innkeeper_outbox
   set state = 'waiting',
       claim = null,
       last_error = :error,
       next_try_at = :next_try_at
 where id = :id
   and claim = :claim
returning id;

--! set_failed
-- The code of a text message has expired when it is given up.
update innkeeper_outbox
   set state = 'failed',
       sealed = case channel when 'sms' then null else sealed end,
       claim = null,
       last_error = :error,
       ended_at = :now
 where id = :id
   and claim = :claim
returning id;

--! list_mails : MailRow
select o.id,
       o.kind,
       o.state,
       o.recipient,
       o.tries,
       o.last_error,
       o.next_try_at,
       o.created_at,
       o.ended_at
  from innkeeper_outbox o
 where (:state = '' or o.state = :state)
   and o.channel = 'mail'
 order by o.created_at desc, o.id desc
 limit :size
offset :skipped;

--! count_mails
select count(*) as total
  from innkeeper_outbox o
 where (:state = '' or o.state = :state)
   and o.channel = 'mail';

--! count_waiting
-- Each part has its own index.
select (select count(*)
          from innkeeper_outbox o
         where o.state in ('waiting', 'sending')
           and o.channel = :channel
           and o.tries = 0)
     + (select count(*)
          from innkeeper_outbox o
         where o.state in ('waiting', 'sending')
           and o.channel = :channel
           and o.tries > 0) as waiting;

--! retry_mail : MailRow
update innkeeper_outbox
   set state = 'waiting',
       next_try_at = :now,
       give_up_at = :give_up_at,
       ended_at = null
 where id = :id
   and channel = 'mail'
   and state in ('waiting', 'failed')
returning id, kind, state, recipient, tries, last_error, next_try_at, created_at, ended_at;

--! retry_failed
update innkeeper_outbox
   set state = 'waiting',
       next_try_at = :now,
       give_up_at = :give_up_at,
       ended_at = null
 where state = 'failed'
   and channel = 'mail';

--! find_state
select o.state
  from innkeeper_outbox o
 where o.id = :id
   and o.channel = 'mail';
