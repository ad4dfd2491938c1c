// Sign-in without a password, by link and by code.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  advance, arrive, follow, isStd, mailTo, newAddress, newClient, newUser, ok, password, refused,
} from './server.mjs';

test('an unknown address gets an account with the first code', async () => {
  const client = newClient();
  const email = newAddress();
  const data = { name: 'Ada' };
  const answer = ok(await client.signInWithOtp({ email, options: { data } }));
  assert.deepEqual([answer.user, answer.session], [null, null]);
  const { code } = await mailTo(email);
  const { user } = ok(await client.verifyOtp({ type: 'email', email, token: code }));
  assert.ok(user.email_confirmed_at);
  assert.equal(user.user_metadata.name, 'Ada');
  refused(await newClient().signInWithPassword({ email, password }), 400, 'invalid_credentials');
});

for (const type of ['email', 'magiclink']) {
  test(`a code signs in, typed in as ${type}`, async () => {
    const { email, id } = await newUser();
    const client = newClient();
    ok(await client.signInWithOtp({ email }));
    const { code } = await mailTo(email);
    assert.equal(ok(await client.verifyOtp({ type, email, token: code })).user.id, id);
    refused(await client.verifyOtp({ type, email, token: code }), 403, 'otp_expired');
  });
}

test('a link signs in', async () => {
  const { email, id } = await newUser();
  const client = newClient();
  ok(await client.signInWithOtp({ email }));
  const landed = await follow((await mailTo(email)).link);
  assert.equal(landed.fragment.type, 'magiclink');
  assert.equal((await arrive(client, landed)).user.id, id);
  ok(await newClient().signInWithPassword({ email, password }));
});

test('a link signs in with PKCE', async () => {
  const { email, id } = await newUser();
  const client = newClient({ flowType: 'pkce' });
  ok(await client.signInWithOtp({ email }));
  const { query } = await follow((await mailTo(email)).link);
  assert.equal(ok(await client.exchangeCodeForSession(query.code)).user.id, id);
});

test('an account is not made when the app does not want one', async () => {
  const email = newAddress('nobody');
  const answer = await newClient().signInWithOtp({ email, options: { shouldCreateUser: false } });
  if (isStd) ok(answer);
  else refused(answer, 422, 'otp_disabled');
  const known = await newUser();
  const options = { shouldCreateUser: false };
  ok(await newClient().signInWithOtp({ email: known.email, options }));
  await mailTo(known.email);
});

test('a wrong code and an unknown address get the same answer', async () => {
  const { email } = await newUser();
  const client = newClient();
  ok(await client.signInWithOtp({ email }));
  const { code } = await mailTo(email);
  const token = code === '123456' ? '654321' : '123456';
  const wrong = refused(await client.verifyOtp({ type: 'email', email, token }), 403, 'otp_expired');
  const nobody = { type: 'email', email: newAddress('nobody'), token };
  const unknown = refused(await client.verifyOtp(nobody), 403, 'otp_expired');
  assert.equal(wrong.message, 'Token has expired or is invalid');
  assert.equal(unknown.message, wrong.message);
  ok(await client.verifyOtp({ type: 'email', email, token: code }));
});

test('a code is void after a few wrong ones', async () => {
  const { email } = await newUser();
  const client = newClient();
  ok(await client.signInWithOtp({ email }));
  const { code } = await mailTo(email);
  const guesses = ['111111', '222222', '333333', '444444', '555555', '666666'];
  for (const token of guesses.filter((guess) => guess !== code).slice(0, 5)) {
    refused(await client.verifyOtp({ type: 'email', email, token }), 403, 'otp_expired');
  }
  refused(await client.verifyOtp({ type: 'email', email, token: code }), 403, 'otp_expired');
});

test('a code is void after its time', async () => {
  const { email } = await newUser();
  const client = newClient();
  ok(await client.signInWithOtp({ email }));
  const { code } = await mailTo(email);
  await advance(isStd ? 3601 : 86_401);
  refused(await client.verifyOtp({ type: 'email', email, token: code }), 403, 'otp_expired');
});
