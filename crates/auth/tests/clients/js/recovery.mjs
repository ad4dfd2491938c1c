// A forgotten password.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  arrive, follow, mailTo, newAddress, newClient, newUser, ok, password, refused, site,
} from './server.mjs';

const next = 'battery staple';
const redirectTo = `${site}/reset`;

/** The client has a session; a new password is set and works. */
async function setsPassword(client, email) {
  ok(await client.updateUser({ password: next }));
  refused(await newClient().signInWithPassword({ email, password }), 400, 'invalid_credentials');
  ok(await newClient().signInWithPassword({ email, password: next }));
}

test('the link leads to a session in which a new password is set', async () => {
  const { email } = await newUser();
  const client = newClient();
  assert.deepEqual(ok(await client.resetPasswordForEmail(email, { redirectTo })), {});
  const landed = await follow((await mailTo(email)).link);
  assert.equal(landed.page, redirectTo);
  assert.equal(landed.fragment.type, 'recovery');
  await arrive(client, landed);
  await setsPassword(client, email);
});

test('with PKCE the client knows that a password is to be set', async () => {
  const { email } = await newUser();
  const client = newClient({ flowType: 'pkce' });
  const events = [];
  client.onAuthStateChange((event) => void events.push(event));
  ok(await client.resetPasswordForEmail(email, { redirectTo }));
  const { link } = await mailTo(email);
  assert.match(new URL(link).searchParams.get('token'), /^pkce_/);
  const { page, query } = await follow(link);
  assert.equal(page, redirectTo);
  const { session, redirectType } = ok(await client.exchangeCodeForSession(query.code));
  assert.equal(redirectType, 'recovery');
  assert.equal(session.user.email, email);
  assert.ok(events.includes('PASSWORD_RECOVERY'));
  await setsPassword(client, email);
});

test('the code is enough', async () => {
  const { email } = await newUser();
  const client = newClient();
  ok(await client.resetPasswordForEmail(email));
  const { code } = await mailTo(email);
  ok(await client.verifyOtp({ type: 'recovery', email, token: code }));
  await setsPassword(client, email);
});

test('nobody learns who has an account', async () => {
  const answer = await newClient().resetPasswordForEmail(newAddress('nobody'));
  assert.deepEqual(ok(answer), {});
});

test('the second mail has to wait', async () => {
  const { email } = await newUser();
  const client = newClient();
  ok(await client.resetPasswordForEmail(email));
  refused(await client.resetPasswordForEmail(email), 429, 'over_email_send_rate_limit');
});

test('a wrong verifier opens nothing', async () => {
  const { email } = await newUser();
  const client = newClient({ flowType: 'pkce' });
  ok(await client.resetPasswordForEmail(email, { redirectTo }));
  const { query } = await follow((await mailTo(email)).link);
  const thief = newClient({ flowType: 'pkce' });
  ok(await thief.resetPasswordForEmail(newAddress('thief'), { redirectTo }));
  refused(await thief.exchangeCodeForSession(query.code), 400, 'bad_code_verifier');
});

test('a code that was never given is not found', async () => {
  const client = newClient({ flowType: 'pkce' });
  ok(await client.resetPasswordForEmail(newAddress(), { redirectTo }));
  const code = '5c0cc9a5-98b4-4e9b-b0b6-3f5d1d3c6a11';
  refused(await client.exchangeCodeForSession(code), 404, 'flow_state_not_found');
});
