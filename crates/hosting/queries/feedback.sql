-- What readers say about articles.

--! keep (reason?, comment?, email?)
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
  from made m;

--! make_salt
insert into feedback_salts
       (day, salt)
values (:day, :salt)
    on conflict (day) do nothing;

--! list_salts
select s.day, s.salt
  from feedback_salts s
 where s.day >= :from;

--! forget_salts
delete from feedback_salts
 where day < :before;

--! counts
-- How often each article was found helpful or not, the most talked about first.
select f.path,
       count(*) filter (where f.helpful) as helpful,
       count(*) filter (where not f.helpful) as not_helpful,
       count(f.comment) as comments,
       max(f.updated_at) as last_at
  from feedback f
 group by f.path
 order by count(*) desc, f.path;

--! export : (reason?, comment?, email?)
select f.id, f.path, f.helpful, f.reason, f.comment, f.email, f.received_at, f.updated_at
  from feedback f
 order by f.received_at, f.id;
