// Sign-up where addresses must be confirmed.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  advance, arrive, follow, isStd, mailTo, newAddress, newClient, newUser, ok, password, refused, site,
} from './server.mjs';

test('nobody signs in before the link in the mail was followed', async () => {
  const client = newClient();
  const email = newAddress();
  const data = { name: 'Ada', born: 1815 };
  const { user, session } = ok(await client.signUp({ email, password, options: { data } }));
  assert.equal(session, null);
  assert.equal(user.email, email);
  assert.equal(user.phone, '');
  assert.equal(user.aud, 'authenticated');
  assert.equal(user.role, 'authenticated');
  assert.equal(user.is_anonymous, false);
  assert.equal(user.email_confirmed_at, undefined);
  assert.ok(user.confirmation_sent_at);
  assert.deepEqual(user.app_metadata, { provider: 'email', providers: ['email'] });
  assert.deepEqual(user.identities.map(({ provider }) => provider), ['email']);
  assert.partialDeepStrictEqual(user.user_metadata, data);
  refused(await client.signInWithPassword({ email, password }), 400, 'email_not_confirmed');

  const { link } = await mailTo(email);
  const landed = await follow(link);
  assert.equal(landed.page, `${site}/`);
  assert.equal(landed.fragment.type, 'signup');
  const arrived = await arrive(client, landed);
  // Until then, std shows an id that says nothing about the account.
  assert.equal(arrived.user.id === user.id, !isStd);
  assert.ok(arrived.user.email_confirmed_at);

  const signedIn = ok(await client.signInWithPassword({ email, password }));
  assert.equal(signedIn.user.id, arrived.user.id);
  assert.ok(signedIn.user.last_sign_in_at);
});

test('a link works once', async () => {
  const email = newAddress();
  ok(await newClient().signUp({ email, password }));
  const { link } = await mailTo(email);
  assert.equal((await follow(link)).fragment.error, undefined);
  const { fragment } = await follow(link);
  assert.equal(fragment.error, 'access_denied');
  assert.equal(fragment.error_code, 'otp_expired');
  assert.ok(fragment.error_description);
});

for (const type of ['signup', 'email']) {
  test(`the code in the mail confirms, typed in as ${type}`, async () => {
    const client = newClient();
    const email = newAddress();
    ok(await client.signUp({ email, password }));
    const { code } = await mailTo(email);
    const { user, session } = ok(await client.verifyOtp({ type, email, token: code }));
    assert.ok(user.email_confirmed_at);
    assert.equal(session.token_type, 'bearer');
    assert.equal(ok(await client.getUser()).user.email, email);
    refused(await client.verifyOtp({ type, email, token: code }), 403, 'otp_expired');
  });
}

test('an app can post the secret of the link itself', async () => {
  const client = newClient();
  const email = newAddress();
  ok(await client.signUp({ email, password }));
  const { link } = await mailTo(email);
  const token_hash = new URL(link).searchParams.get('token');
  ok(await client.verifyOtp({ type: 'signup', token_hash }));
  assert.equal(ok(await client.getUser()).user.email, email);
});

test('with PKCE the link leads to a code that only the same browser can use', async () => {
  const client = newClient({ flowType: 'pkce' });
  const email = newAddress();
  const emailRedirectTo = `${site}/welcome?from=mail`;
  ok(await client.signUp({ email, password, options: { emailRedirectTo } }));
  const { page, query, fragment } = await follow((await mailTo(email)).link);
  assert.equal(page, `${site}/welcome`);
  assert.equal(query.from, 'mail');
  assert.equal(fragment.access_token, undefined);

  const thief = newClient();
  refused(await thief.exchangeCodeForSession(query.code), 400, 'validation_failed');
  const { session } = ok(await client.exchangeCodeForSession(query.code));
  assert.equal(session.user.email, email);
  assert.equal(ok(await client.getUser()).user.email, email);
});

test('a redirect that is not allowed leads to the site', async () => {
  const email = newAddress();
  const emailRedirectTo = 'https://evil.example/';
  ok(await newClient().signUp({ email, password, options: { emailRedirectTo } }));
  assert.equal((await follow((await mailTo(email)).link)).page, `${site}/`);
});

test('a second mail comes on request, after a while', async () => {
  const client = newClient();
  const email = newAddress();
  ok(await client.signUp({ email, password }));
  await mailTo(email);
  const again = () => client.resend({ type: 'signup', email });
  const error = refused(await again(), 429, 'over_email_send_rate_limit');
  assert.match(error.message, /after \d+ seconds/);
  await advance(isStd ? 900 : 60);
  ok(await again());
  const { code } = await mailTo(email);
  ok(await client.verifyOtp({ type: 'signup', email, token: code }));
});

test('signing up twice does not tell that the address is taken', async () => {
  const { email } = await newUser();
  await advance(900);
  const { user, session } = ok(await newClient().signUp({ email, password: 'another password' }));
  assert.equal(session, null);
  assert.equal(user.email, email);
  assert.equal(user.email_confirmed_at, undefined);
  assert.equal(user.identities.length, isStd ? 1 : 0);
  ok(await newClient().signInWithPassword({ email, password }));
});

test('a confirmation is asked for in vain without an account', async () => {
  ok(await newClient().resend({ type: 'signup', email: newAddress('nobody') }));
});
