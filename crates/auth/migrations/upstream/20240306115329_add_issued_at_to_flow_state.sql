-- A code's short life counts from the moment it was issued, not from the start of the flow.
alter table flow_state
    add column if not exists auth_code_issued_at timestamptz;
