-- Stores feedback, or changes what the same client said about the same article since a time.
with known as (
    update feedback
       set helpful = :helpful, reason = :reason, comment = :comment, email = :email, updated_at = :now
     where path = :path
       and client in (:today, :yesterday)
       and received_at > :since
 returning id, received_at
), made as (
    insert into feedback
           (id, path, client, helpful, reason, comment, email, received_at, updated_at)
    select :id, :path, :today, :helpful, :reason, :comment, :email, :now, :now
     where not exists (select 1 from known)
        on conflict (path, client)
        do update set helpful = excluded.helpful,
                      reason = excluded.reason,
                      comment = excluded.comment,
                      email = excluded.email,
                      updated_at = excluded.updated_at
 returning id, received_at
)
select k.id, k.received_at
  from known k
 union all
select m.id, m.received_at
  from made m
