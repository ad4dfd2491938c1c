-- Email identities without a last sign-in take their user's.
update identities
set last_sign_in_at = coalesce(users.last_sign_in_at, identities.created_at)
from users
where users.id = identities.user_id
    and identities.provider = 'email'
    and identities.last_sign_in_at is null;
