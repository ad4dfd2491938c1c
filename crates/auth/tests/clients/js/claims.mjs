// Access tokens, checked by the client itself with the keys that the server publishes.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { admin, AuthInvalidJwtError, newClient, newUser, ok } from './server.mjs';

const algorithm = process.env.ALGORITHM;

/** A client that remembers what it asked the server for. */
function watched() {
  const asked = [];
  const ask = (url, ...rest) => {
    asked.push(new URL(url).pathname);
    return fetch(url, ...rest);
  };
  return { client: newClient({ fetch: ask }), asked };
}

test('the claims say who it is', async () => {
  const { client, asked } = watched();
  const { email, id } = await newUser(client);
  asked.length = 0;
  const { claims, header } = ok(await client.getClaims());
  assert.equal(header.alg, algorithm);
  assert.equal(claims.sub, id);
  assert.equal(claims.email, email);
  assert.equal(claims.aud, 'authenticated');
  assert.equal(claims.role, 'authenticated');
  assert.equal(claims.aal, 'aal1');
  assert.equal(claims.amr[0].method, 'password');
  assert.equal(claims.is_anonymous, false);
  assert.equal(claims.exp - claims.iat, 3600);
  assert.match(claims.session_id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(claims.app_metadata, { provider: 'email', providers: ['email'] });
  // A secret that both sides know is not published, so the client asks the server.
  const expected = algorithm === 'HS256' ? '/user' : '/.well-known/jwks.json';
  assert.deepEqual(asked, [expected]);
});

test('the published keys are public and bear the name in the token', async () => {
  const answer = await fetch(`${process.env.AUTH}/.well-known/jwks.json`);
  assert.match(answer.headers.get('cache-control'), /max-age=600/);
  const { keys } = await answer.json();
  if (algorithm === 'HS256') {
    assert.deepEqual(keys, []);
    return;
  }
  const { client } = await newUser();
  const { header } = ok(await client.getClaims());
  const key = keys.find(({ kid }) => kid === header.kid);
  assert.equal(key.alg, algorithm);
  assert.deepEqual(key.key_ops, ['verify']);
  for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) {
    assert.equal(secret in key, false, secret);
  }
});

test('a token of another hand is refused', async () => {
  const { client } = await newUser();
  const { access_token } = ok(await client.getSession()).session;
  const [header, payload, signature] = access_token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url'));
  const forged = Buffer.from(JSON.stringify({ ...claims, role: 'service_role' })).toString('base64url');
  const { error } = await client.getClaims(`${header}.${forged}.${signature}`);
  if (algorithm === 'HS256') {
    assert.equal(error.code, 'bad_jwt');
  } else {
    assert.ok(error instanceof AuthInvalidJwtError, String(error));
  }
});

test('a key of a service opens the admin calls whatever signs the users\' tokens', async () => {
  const { id } = await newUser();
  assert.equal(ok(await admin.getUserById(id)).user.id, id);
});
