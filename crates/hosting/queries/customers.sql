-- Customers, who own machines and keys.

--! insert_customer
insert into customers
       (id, name, created_at)
values (:id, :name, :now)
    on conflict (id) do nothing
returning id;

--! find_customer
select c.id, c.name, c.created_at
  from customers c
 where c.id = :id;

--! list_customers
-- Oldest first, with the number of their machines and of their keys that were not revoked.
select c.id, c.name, c.created_at,
       (select count(*) from machines m where m.customer_id = c.id) as machines,
       (select count(*) from api_keys k where k.customer_id = c.id and k.revoked_at is null) as keys
  from customers c
 order by c.created_at, c.id;

--! delete_customer
-- Deletes the keys, too. Fails while the customer has machines.
delete from customers
 where id = :id
returning id;
