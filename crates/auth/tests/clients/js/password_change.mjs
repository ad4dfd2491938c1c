// A server that wants a code from the mail before a password is changed.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  advance, isStd, mailTo, newClient, newUser, ok, password, refused,
} from './server.mjs';

const next = 'battery staple';

/** Somebody whose session is too old to change a password without a code. */
async function longSignedIn() {
  const user = await newUser();
  if (!isStd) {
    await advance(25 * 60 * 60);
    ok(await user.client.refreshSession());
  }
  return user;
}

test('a password is changed with the code from the mail', async () => {
  const { client, email } = await longSignedIn();
  refused(await client.updateUser({ password: next }), 400, 'reauthentication_needed');
  ok(await client.reauthenticate());
  const { code: nonce } = await mailTo(email);
  const wrong = nonce === '123456' ? '654321' : '123456';
  const forged = await client.updateUser({ password: next, nonce: wrong });
  refused(forged, 422, 'reauthentication_not_valid');
  ok(await client.updateUser({ password: next, nonce }));
  refused(await newClient().signInWithPassword({ email, password }), 400, 'invalid_credentials');
  ok(await newClient().signInWithPassword({ email, password: next }));
});

test('a code works once', async () => {
  const { client, email } = await longSignedIn();
  ok(await client.reauthenticate());
  const { code: nonce } = await mailTo(email);
  ok(await client.updateUser({ password: next, nonce }));
  const again = await client.updateUser({ password: 'a third one', nonce });
  refused(again, 422, 'reauthentication_not_valid');
});

test('a fresh session is enough only where the profile says so', async () => {
  const { client } = await newUser();
  const changed = await client.updateUser({ password: next });
  if (isStd) {
    refused(changed, 400, 'reauthentication_needed');
  } else {
    ok(changed);
  }
});

test('everything else is changed without a code', async () => {
  const { client } = await newUser();
  const { user } = ok(await client.updateUser({ data: { name: 'Ada' } }));
  assert.equal(user.user_metadata.name, 'Ada');
});
