-- Newest first, after a place in the list. Without `machines` those of all machines of the customer.
  join machines m
    on m.id = a.machine_id
 where a.customer_id = :customer_id
   and m.kind = any(:kinds::text[])
   and (:machines::uuid[] is null or a.machine_id = any(:machines::uuid[]))
   and (:server::text is null or m.public_id = :server)
   and (:status::text is null or a.status = :status)
   and (:command::text is null or a.command = :command)
   and (a.queued_at, a.id) < (:before_at, :before_id)
 order by a.queued_at desc, a.id desc
 limit :limit
