// Passkeys, and security keys as second factors.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Authenticator, inJson } from './authenticator.mjs';
import { admin, newClient, newUser, ok, refused } from './server.mjs';

/** Somebody with a passkey. */
async function owner() {
  const user = await newUser(newClient());
  const authenticator = new Authenticator();
  const started = ok(await user.client.passkey.startRegistration());
  const credential = authenticator.create(started.options);
  const answer = { challengeId: started.challenge_id, credential };
  const passkey = ok(await user.client.passkey.verifyRegistration(answer));
  return { ...user, authenticator, passkey };
}

async function signIn(client, authenticator) {
  const started = ok(await client.passkey.startAuthentication());
  const credential = authenticator.get(started.options);
  return { challengeId: started.challenge_id, credential };
}

test('a passkey signs its owner in', async () => {
  const { id, authenticator } = await owner();
  const client = newClient();
  const answer = await signIn(client, authenticator);
  const { session, user } = ok(await client.passkey.verifyAuthentication(answer));
  assert.equal(user.id, id);
  assert.equal(session.token_type, 'bearer');
  const { claims } = ok(await client.getClaims());
  assert.deepEqual([claims.aal, claims.amr[0].method], ['aal1', 'passkey']);
  ok(await client.refreshSession());
  refused(await client.passkey.verifyAuthentication(answer), 400, 'webauthn_challenge_not_found');
});

test('passkeys are listed, named and deleted', async () => {
  const { client, id, passkey, authenticator } = await owner();
  assert.equal(passkey.friendly_name, 'Passkey');
  const named = { passkeyId: passkey.id, friendlyName: 'Key ring' };
  assert.equal(ok(await client.passkey.update(named)).friendly_name, 'Key ring');
  const list = ok(await client.passkey.list());
  assert.deepEqual(list.map((it) => [it.id, it.friendly_name]), [[passkey.id, 'Key ring']]);
  const unknown = { passkeyId: crypto.randomUUID() };
  refused(await client.passkey.delete(unknown), 404, 'validation_failed');
  ok(await client.passkey.delete({ passkeyId: passkey.id }));
  assert.deepEqual(ok(await client.passkey.list()), []);
  const stranger = newClient();
  const answer = await signIn(stranger, authenticator);
  refused(await stranger.passkey.verifyAuthentication(answer), 400, 'webauthn_verification_failed');
  assert.deepEqual(ok(await admin.passkey.listPasskeys({ userId: id })), []);
});

test('an administrator deletes the passkey of a user', async () => {
  const { id, passkey, client } = await owner();
  const list = ok(await admin.passkey.listPasskeys({ userId: id }));
  assert.deepEqual(list.map((it) => it.id), [passkey.id]);
  ok(await admin.passkey.deletePasskey({ userId: id, passkeyId: passkey.id }));
  assert.deepEqual(ok(await client.passkey.list()), []);
});

test('a page of another site is refused', async () => {
  const { authenticator } = await owner();
  authenticator.origin = 'https://evil.example';
  const client = newClient();
  const answer = await signIn(client, authenticator);
  refused(await client.passkey.verifyAuthentication(answer), 400, 'webauthn_verification_failed');
});

/** What the client expects of a browser's credential. */
const returned = (credential) => ({ toJSON: () => credential });

test('a security key is enrolled, challenged and verified', async () => {
  const { client } = await newUser();
  const key = new Authenticator();
  const site = { rpId: 'localhost', rpOrigins: [key.origin] };
  const factor = ok(await client.mfa.enroll({ factorType: 'webauthn', friendlyName: 'key' }));
  assert.equal(factor.type, 'webauthn');
  for (const type of ['create', 'request']) {
    const opened = ok(await client.mfa.challenge({ factorId: factor.id, webauthn: site }));
    assert.equal(opened.webauthn.type, type);
    const options = inJson(opened.webauthn.credential_options.publicKey);
    const credential = type === 'create' ? key.create(options) : key.get(options);
    const session = ok(
      await client.mfa.verify({
        factorId: factor.id,
        challengeId: opened.id,
        webauthn: { ...site, type, credential_response: returned(credential) },
      }),
    );
    assert.equal(typeof session.refresh_token, 'string');
  }
  const factors = ok(await client.mfa.listFactors());
  assert.deepEqual(factors.webauthn.map((it) => it.id), [factor.id]);
  const level = ok(await client.mfa.getAuthenticatorAssuranceLevel());
  assert.equal(level.currentLevel, 'aal2');
  ok(await client.mfa.unenroll({ factorId: factor.id }));
});
