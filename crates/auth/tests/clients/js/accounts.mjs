// Accounts where addresses need no confirmation.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  advance, AuthApiError, isStd, mailTo, newAddress, newClient, newUser, ok, password, refused,
} from './server.mjs';

test('a sign-up is a sign-in', async () => {
  const client = newClient();
  const email = newAddress();
  const { user, session } = ok(await client.signUp({ email, password }));
  assert.ok(user.email_confirmed_at);
  assert.equal(session.token_type, 'bearer');
  assert.equal(session.expires_in, 3600);
  assert.ok(Math.abs(session.expires_at - Date.now() / 1000 - 3600) < 5);
  // In the gotrue profile the second date comes later, and the identity is marked in the first answer only, as in GoTrue.
  const { user: read } = ok(await client.getUser());
  assert.equal(read.confirmed_at, user.email_confirmed_at);
  const { identity_data: shown } = user.identities[0];
  assert.equal(shown.email_verified, true);
  shown.email_verified = isStd;
  assert.deepEqual({ ...user, confirmed_at: read.confirmed_at }, read);
});

test('an address signs up once', async () => {
  const { email } = await newUser();
  const answer = await newClient().signUp({ email, password });
  const error = refused(answer, 422, 'user_already_exists');
  assert.ok(error instanceof AuthApiError);
  assert.equal(error.message, 'User already registered');
  assert.deepEqual(answer.data, { user: null, session: null });
});

test('the address is the same in whatever case', async () => {
  const { email, id } = await newUser();
  const upper = email.toUpperCase();
  assert.equal(ok(await newClient().signInWithPassword({ email: upper, password })).user.id, id);
});

test('a refresh gives new tokens for the same session', async () => {
  const { client } = await newUser();
  const before = ok(await client.getSession()).session;
  await advance(2);
  const { session } = ok(await client.refreshSession());
  assert.notEqual(session.refresh_token, before.refresh_token);
  assert.notEqual(session.access_token, before.access_token);
  const claims = [before, session].map(
    ({ access_token }) => JSON.parse(Buffer.from(access_token.split('.')[1], 'base64url')),
  );
  assert.equal(claims[0].session_id, claims[1].session_id);
  ok(await client.getUser());
});

test('metadata is merged, and null deletes', async () => {
  const { client } = await newUser();
  ok(await client.updateUser({ data: { name: 'Ada', likes: ['numbers'], town: 'London' } }));
  const { user } = ok(await client.updateUser({ data: { likes: ['poems'], town: null } }));
  assert.equal(user.user_metadata.name, 'Ada');
  assert.deepEqual(user.user_metadata.likes, ['poems']);
  assert.equal('town' in user.user_metadata, false);
  assert.deepEqual(ok(await client.getUser()).user.user_metadata, user.user_metadata);
});

test('a new password ends the old one and all other sessions', async () => {
  const { client, email } = await newUser();
  const other = newClient();
  ok(await other.signInWithPassword({ email, password }));
  refused(await client.updateUser({ password }), 422, 'same_password');
  ok(await client.updateUser({ password: 'battery staple' }));
  ok(await client.getUser());
  refused(await other.refreshSession(), 400, 'refresh_token_not_found');
  const old = newClient().signInWithPassword({ email, password });
  refused(await old, 400, 'invalid_credentials');
  ok(await newClient().signInWithPassword({ email, password: 'battery staple' }));
});

test('a link signs in, and makes an account where there is none', async () => {
  const client = newClient();
  const email = newAddress();
  ok(await client.signInWithOtp({ email, options: { data: { name: 'Ada' } } }));
  const { code } = await mailTo(email);
  const { user } = ok(await client.verifyOtp({ type: 'email', email, token: code }));
  assert.equal(user.user_metadata.name, 'Ada');
});

test('the client tells its app what happens', async () => {
  const client = newClient();
  const events = [];
  client.onAuthStateChange((event) => void events.push(event));
  const { email } = await newUser(client);
  ok(await client.updateUser({ data: { name: 'Ada' } }));
  ok(await client.refreshSession());
  ok(await client.signOut());
  ok(await client.signInWithPassword({ email, password }));
  const heard = events.filter((event) => event !== 'INITIAL_SESSION');
  assert.deepEqual(heard, ['SIGNED_IN', 'USER_UPDATED', 'TOKEN_REFRESHED', 'SIGNED_OUT', 'SIGNED_IN']);
});

test('what is switched off says so', async () => {
  refused(await newClient().signInAnonymously(), 422, 'anonymous_provider_disabled');
});
