// Authenticator apps as second factors.

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';

import { admin, advance, newClient, newUser, ok, password, refused } from './server.mjs';

let ahead = 0;

/** Lets the code of the next step be used; each works once. */
async function nextStep() {
  ahead += 60;
  await advance(60);
}

/** The code that an authenticator app shows. */
function codeOf(secret) {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((it) => letters.indexOf(it).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigInt64BE(BigInt(Math.floor((Date.now() / 1000 + ahead) / 30)));
  const tag = createHmac('sha1', key).update(step).digest();
  const number = tag.readUInt32BE(tag[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** Somebody whose account an authenticator app protects. */
async function protectedUser() {
  const user = await newUser();
  const { mfa } = user.client;
  const factor = ok(await mfa.enroll({ factorType: 'totp', friendlyName: 'phone' }));
  const code = codeOf(factor.totp.secret);
  const session = ok(await mfa.challengeAndVerify({ factorId: factor.id, code }));
  await nextStep();
  return { ...user, factor, session };
}

test('an app is enrolled, challenged and verified', async () => {
  const { client } = await newUser();
  const factor = ok(await client.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' }));
  assert.equal(factor.type, 'totp');
  assert.match(factor.totp.qr_code, /^data:image\/svg\+xml;utf-8,<svg /);
  assert.match(factor.totp.uri, /^otpauth:\/\/totp\//);
  const before = ok(await client.mfa.listFactors());
  assert.deepEqual([before.all.length, before.totp.length], [1, 0]);

  const challenge = ok(await client.mfa.challenge({ factorId: factor.id }));
  assert.equal(challenge.type, 'totp');
  assert.equal(typeof challenge.expires_at, 'number');
  const code = codeOf(factor.totp.secret);
  const answer = { factorId: factor.id, challengeId: challenge.id, code };
  const session = ok(await client.mfa.verify(answer));
  assert.equal(typeof session.refresh_token, 'string');
  const after = ok(await client.mfa.listFactors());
  assert.deepEqual(after.totp.map((it) => it.id), [factor.id]);
  refused(await client.mfa.verify(answer), 422, 'mfa_ip_address_mismatch');
  ok(await client.refreshSession());
});

test('the level of a session is known', async () => {
  const { client, email } = await protectedUser();
  const high = ok(await client.mfa.getAuthenticatorAssuranceLevel());
  assert.deepEqual([high.currentLevel, high.nextLevel], ['aal2', 'aal2']);
  assert.equal(high.currentAuthenticationMethods[0].method, 'totp');
  const other = newClient();
  ok(await other.signInWithPassword({ email, password }));
  const low = ok(await other.mfa.getAuthenticatorAssuranceLevel());
  assert.deepEqual([low.currentLevel, low.nextLevel], ['aal1', 'aal2']);
  refused(await other.updateUser({ password: 'battery staple' }), 401, 'insufficient_aal');
});

test('a wrong code and a missing session are told', async () => {
  const { client, factor } = await protectedUser();
  const right = codeOf(factor.totp.secret);
  const code = right === '000000' ? '111111' : '000000';
  const wrong = await client.mfa.challengeAndVerify({ factorId: factor.id, code });
  assert.match(refused(wrong, 422, 'mfa_verification_failed').message, /Invalid TOTP code/);
  const { error } = await newClient().mfa.enroll({ factorType: 'totp' });
  assert.match(error.message, /session|Bearer token/i);
});

test('a factor is removed by its user', async () => {
  const { client, factor } = await protectedUser();
  const removed = ok(await client.mfa.unenroll({ factorId: factor.id }));
  assert.equal(removed.id, factor.id);
  assert.deepEqual(ok(await client.mfa.listFactors()).all, []);
  const { currentLevel } = ok(await client.mfa.getAuthenticatorAssuranceLevel());
  assert.ok(['aal1', 'aal2'].includes(currentLevel));
});

test('a factor is listed and removed by an administrator', async () => {
  const { client, factor } = await protectedUser();
  const { user } = ok(await client.getUser());
  const { factors } = ok(await admin.mfa.listFactors({ userId: user.id }));
  assert.deepEqual(factors.map((it) => it.id), [factor.id]);
  ok(await admin.mfa.deleteFactor({ userId: user.id, id: factor.id }));
  const left = ok(await admin.mfa.listFactors({ userId: user.id }));
  assert.deepEqual(left.factors, []);
});
