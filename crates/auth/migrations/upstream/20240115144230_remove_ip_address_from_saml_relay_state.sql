-- Checking the address broke sign-in for people whose address changes on the way.
alter table saml_relay_states
    drop column if exists from_ip_address;
