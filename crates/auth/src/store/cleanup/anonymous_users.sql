-- Reads users by their ids, as the other statements, but only those who are anonymous.
with seen as (
       select t.id
         from users t
        where t.is_anonymous
          and t.id > :after
        order by t.id
        limit :batch),
     gone as (
       delete from users t
        using seen
        where t.id = seen.id
          and t.is_anonymous
          and t.created_at < :created
          and (:used::timestamptz is null
               or greatest(t.created_at,
                           t.updated_at,
                           t.last_sign_in_at,
                           (select max(s.refreshed_at at time zone 'UTC')
                              from sessions s
                             where s.user_id = t.id)) < :used)
