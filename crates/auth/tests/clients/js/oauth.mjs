// Sign-in with an OpenID Connect server that others wrote.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isMock, refuseAt, signInAt, tokensOf } from './provider.mjs';
import { advance, arrive, isStd, mailTo, newClient, newUser, ok, refused, site } from './server.mjs';

const provider = 'keycloak';
const redirectTo = `${site}/in`;

let people = 0;

/** The name of somebody who is new to the provider. */
function newName(start = 'ada') {
  people += 1;
  return `${start}-${people}`;
}

/** Starts a sign-in, and says where the browser ends up. */
async function visit(client, name, options = {}) {
  const started = ok(await client.signInWithOAuth({ provider, options: { redirectTo, ...options } }));
  assert.equal(started.provider, provider);
  return signInAt(started.url, name);
}

/** Signs in with a code, as apps with a server do. */
async function enter(name) {
  const client = newClient({ flowType: 'pkce' });
  const { page, query, fragment } = await visit(client, name);
  assert.deepEqual([page, Object.keys(query), fragment], [redirectTo, ['code'], {}]);
  return { client, ...ok(await client.exchangeCodeForSession(query.code)) };
}

/** Adds an identity to the account of a client. */
async function link(client, name) {
  const { url } = ok(await client.linkIdentity({ provider, options: { redirectTo } }));
  return signInAt(url, name);
}

async function providersOf(client) {
  const { identities } = ok(await client.getUserIdentities());
  return identities.map((identity) => identity.provider).sort();
}

test('a code becomes a session', async () => {
  const name = newName();
  const { client, session, user } = await enter(name);
  assert.ok(session.provider_token);
  assert.equal(user.email, `${name}@example.com`);
  assert.ok(user.email_confirmed_at);
  assert.equal(user.user_metadata.full_name, `${name} of the provider`);
  assert.deepEqual(user.app_metadata, { provider, providers: [provider] });
  assert.deepEqual(await providersOf(client), [provider]);
  ok(await client.refreshSession());
  assert.equal((await enter(name)).user.id, user.id);
});

test('the fragment has a session', async () => {
  const name = newName();
  const client = newClient({ flowType: 'implicit' });
  const landed = await visit(client, name, { scopes: 'email', queryParams: { login_hint: name } });
  assert.equal(landed.page, redirectTo);
  assert.ok(landed.fragment.provider_token);
  assert.equal(landed.fragment.provider, isStd ? provider : undefined);
  await arrive(client, landed);
  const { user } = ok(await client.getUser());
  assert.equal(user.email, `${name}@example.com`);
  assert.equal((await enter(name)).user.id, user.id);
});

test('a code is of no use in another browser, nor a second time', async () => {
  const client = newClient({ flowType: 'pkce' });
  const { query: { code } } = await visit(client, newName());
  const thief = newClient({ flowType: 'pkce' });
  await thief.signInWithOAuth({ provider, options: { redirectTo } });
  refused(await thief.exchangeCodeForSession(code), 400, 'bad_code_verifier');
  ok(await client.exchangeCodeForSession(code));
  await thief.signInWithOAuth({ provider, options: { redirectTo } });
  refused(await thief.exchangeCodeForSession(code), 404, 'flow_state_not_found');
});

test('who changes their mind is not signed in', { skip: isMock }, async () => {
  const client = newClient({ flowType: 'pkce' });
  const { url } = ok(await client.signInWithOAuth({ provider, options: { redirectTo } }));
  const { page, query, fragment } = await refuseAt(url);
  assert.equal(page, redirectTo);
  for (const { error, error_description, code } of [query, fragment]) {
    assert.deepEqual([error, code], ['access_denied', undefined]);
    assert.ok(error_description);
  }
});

test('an address that the provider has not verified is confirmed first', async () => {
  const name = newName('unverified');
  const client = newClient({ flowType: 'implicit' });
  const { fragment } = await visit(client, name);
  assert.equal(fragment.error_code, 'provider_email_needs_verification');
  const email = `${name}@example.com`;
  const { code } = await mailTo(email);
  const { user } = ok(await client.verifyOtp({ type: 'signup', email, token: code }));
  assert.equal((await enter(name)).user.id, user.id);
});

test('an id token becomes a session', async () => {
  const name = newName();
  const { id_token: token, access_token } = await tokensOf(name, 'the nonce');
  const client = newClient();
  for (const nonce of ['another nonce', undefined]) {
    const { error } = await client.signInWithIdToken({ provider, token, access_token, nonce });
    assert.equal(error.status, 400);
  }
  const signedIn = await client.signInWithIdToken({ provider, token, access_token, nonce: 'the nonce' });
  const { user } = ok(signedIn);
  assert.equal(user.email, `${name}@example.com`);
  assert.equal((await enter(name)).user.id, user.id);
});

test('identities are linked and unlinked', async () => {
  const { client, id } = await newUser(newClient({ flowType: 'pkce' }));
  const name = newName();
  const landed = await link(client, name);
  const linked = ok(await client.exchangeCodeForSession(landed.query.code));
  assert.equal(linked.user.id, id);
  assert.deepEqual(await providersOf(client), ['email', provider]);
  assert.equal((await enter(name)).user.id, id);

  const taken = await link((await newUser(newClient({ flowType: 'pkce' }))).client, name);
  assert.equal(taken.query.error_code, 'identity_already_exists');

  const { identities } = ok(await client.getUserIdentities());
  const [identity] = identities.filter((one) => one.provider === provider);
  ok(await client.unlinkIdentity(identity));
  assert.deepEqual(await providersOf(client), ['email']);
  const [last] = ok(await client.getUserIdentities()).identities;
  refused(await client.unlinkIdentity(last), 422, 'single_identity_not_deletable');
  assert.notEqual((await enter(name)).user.id, id);
});

test('an identity is linked by an id token', async () => {
  const { client, id } = await newUser();
  const { id_token: token } = await tokensOf(newName(), 'the nonce');
  const linked = ok(await client.linkIdentity({ provider, token, nonce: 'the nonce' }));
  assert.equal(linked.user.id, id);
  assert.deepEqual(await providersOf(client), ['email', provider]);
});

test('an anonymous user becomes somebody', async () => {
  const client = newClient({ flowType: 'pkce' });
  const { user } = ok(await client.signInAnonymously({ options: { data: { theme: 'dark' } } }));
  assert.equal(user.is_anonymous, true);
  assert.deepEqual(await providersOf(client), []);
  const name = newName();
  const landed = await link(client, name);
  const { user: known } = ok(await client.exchangeCodeForSession(landed.query.code));
  assert.deepEqual([known.id, known.is_anonymous, known.email], [user.id, false, `${name}@example.com`]);
  assert.equal((await enter(name)).user.id, user.id);
});

test('a state that is too old is refused', async () => {
  const client = newClient({ flowType: 'pkce' });
  const { url } = ok(await client.signInWithOAuth({ provider, options: { redirectTo } }));
  const answer = await fetch(url, { redirect: 'manual' });
  assert.equal(answer.status, 302);
  await advance(301);
  const landed = await signInAt(answer.headers.get('location'), newName());
  assert.deepEqual([landed.page, landed.query.error_code], [`${site}/`, 'bad_oauth_state']);
});
