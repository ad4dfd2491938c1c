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
returning o.id, o.sealed, o.tries, o.created_at, o.give_up_at
