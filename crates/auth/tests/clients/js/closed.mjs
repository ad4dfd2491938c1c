// A server that takes nobody but those who are invited.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  admin, arrive, follow, isStd, mailTo, newAddress, newClient, ok, password, refused,
} from './server.mjs';

test('nobody signs up', async () => {
  const client = newClient();
  const error = refused(await client.signUp({ email: newAddress(), password }), 422, 'signup_disabled');
  assert.equal(error.message, 'Signups not allowed for this instance');
  const byLink = await client.signInWithOtp({ email: newAddress() });
  if (isStd) {
    // Nobody learns whether the address has an account.
    ok(byLink);
  } else {
    refused(byLink, 422, 'signup_disabled');
  }
});

test('who is invited comes in', async () => {
  const email = newAddress();
  ok(await admin.inviteUserByEmail(email));
  const client = newClient();
  await arrive(client, await follow((await mailTo(email)).link));
  ok(await client.updateUser({ password }));
  ok(await newClient().signInWithPassword({ email, password }));
});
