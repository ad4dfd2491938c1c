// The errors as the client understands them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  admin, AuthApiError, AuthWeakPasswordError, newAddress, newClient, newUser, ok, password, refused,
} from './server.mjs';

test('wrong password and unknown user are the same', async () => {
  const { email } = await newUser();
  const wrong = await newClient().signInWithPassword({ email, password: 'wrong' });
  const nobody = newAddress('nobody');
  const unknown = await newClient().signInWithPassword({ email: nobody, password });
  for (const answer of [wrong, unknown]) {
    const error = refused(answer, 400, 'invalid_credentials');
    assert.ok(error instanceof AuthApiError);
    assert.equal(error.message, 'Invalid login credentials');
  }
});

test('a weak password is refused with reasons', async () => {
  const answer = await newClient().signUp({ email: newAddress(), password: 'short' });
  const error = refused(answer, 422, 'weak_password');
  assert.ok(error instanceof AuthWeakPasswordError);
  assert.deepEqual(error.reasons, ['length']);
  assert.match(error.message, /^Password should be at least 6 characters/);
});

test('an address must be one', async () => {
  const answer = await newClient().signUp({ email: 'xx:;x@x.x', password });
  const error = refused(answer, 400, 'validation_failed');
  assert.equal(error.message, 'Unable to validate email address: invalid format');
});

test('an unknown refresh token is not found', async () => {
  const answer = await newClient().refreshSession({ refresh_token: 'unknown' });
  const error = refused(answer, 400, 'refresh_token_not_found');
  assert.equal(error.message, 'Invalid Refresh Token: Refresh Token Not Found');
});

test('a token that was tampered with is refused', async () => {
  const { client } = await newUser();
  const { access_token } = ok(await client.getSession()).session;
  const [header, payload] = access_token.split('.');
  const error = refused(await client.getUser(`${header}.${payload}.AAAA`), 403, 'bad_jwt');
  assert.match(error.message, /^invalid JWT: unable to parse or verify signature/);
});

test('a user is no administrator', async () => {
  const { client, id } = await newUser();
  const { access_token } = ok(await client.getSession()).session;
  const mine = newClient({ headers: { Authorization: `Bearer ${access_token}` } }).admin;
  refused(await mine.getUserById(id), 403, 'not_admin');
  refused(await mine.listUsers(), 403, 'not_admin');
  refused(await newClient().admin.listUsers(), 401, 'no_authorization');
});

test('a banned user is told after the right password', async () => {
  const { client, email, id } = await newUser();
  ok(await admin.updateUserById(id, { ban_duration: '24h' }));
  const right = await newClient().signInWithPassword({ email, password });
  refused(right, 400, 'user_banned');
  const wrong = await newClient().signInWithPassword({ email, password: 'wrong' });
  refused(wrong, 400, 'invalid_credentials');
  refused(await client.refreshSession(), 400, 'user_banned');
  ok(await admin.updateUserById(id, { ban_duration: 'none' }));
  ok(await newClient().signInWithPassword({ email, password }));
});

test('a deleted user is gone', async () => {
  const { client, email, id } = await newUser();
  ok(await admin.deleteUser(id));
  const { error } = await client.getUser();
  assert.ok(error);
  refused(await newClient().signInWithPassword({ email, password }), 400, 'invalid_credentials');
  refused(await admin.getUserById(id), 404, 'user_not_found');
  ok(await client.signOut());
});
