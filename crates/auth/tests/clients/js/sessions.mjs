// Several sessions of one user.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  admin, advance, AuthSessionMissingError, isStd, newClient, newUser, ok, password, refused,
} from './server.mjs';

/** One user, signed in on three devices. */
async function threeDevices() {
  const { client, email } = await newUser();
  const devices = [client, newClient(), newClient()];
  for (const device of devices.slice(1)) {
    ok(await device.signInWithPassword({ email, password }));
  }
  const sessions = await Promise.all(devices.map(async (device) => (await device.getSession()).data.session));
  return { devices, sessions };
}

/** The tokens of a session still work. */
async function lives({ access_token, refresh_token }) {
  ok(await newClient().getUser(access_token));
  ok(await newClient().refreshSession({ refresh_token }));
}

/** The tokens of a session are of no use. */
async function isOver({ access_token, refresh_token }) {
  const { error } = await newClient().getUser(access_token);
  assert.ok(error instanceof AuthSessionMissingError, String(error));
  refused(await newClient().refreshSession({ refresh_token }), 400, 'refresh_token_not_found');
}

test('signing out ends all sessions', async () => {
  const { devices, sessions } = await threeDevices();
  ok(await devices[0].signOut());
  assert.equal(ok(await devices[0].getSession()).session, null);
  for (const session of sessions) {
    await isOver(session);
  }
});

test('signing out here leaves the others', async () => {
  const { devices, sessions } = await threeDevices();
  ok(await devices[0].signOut({ scope: 'local' }));
  await isOver(sessions[0]);
  await lives(sessions[1]);
  await lives(sessions[2]);
});

test('signing out the others leaves this one', async () => {
  const { devices, sessions } = await threeDevices();
  ok(await devices[0].signOut({ scope: 'others' }));
  assert.ok(ok(await devices[0].getSession()).session);
  await lives(sessions[0]);
  await isOver(sessions[1]);
  await isOver(sessions[2]);
});

for (const scope of ['global', 'local', 'others']) {
  test(`an app's server signs a user out, ${scope}`, async () => {
    const { sessions } = await threeDevices();
    ok(await admin.signOut(sessions[0].access_token, scope));
    await (scope === 'others' ? lives : isOver)(sessions[0]);
    await (scope === 'local' ? lives : isOver)(sessions[1]);
  });
}

test('a session that is over can be signed out of', async () => {
  const { devices } = await threeDevices();
  ok(await devices[0].signOut());
  ok(await devices[1].signOut());
  assert.equal(ok(await devices[1].getSession()).session, null);
});

test('tabs that refresh at once get the same token', async () => {
  const { client } = await newUser();
  const { refresh_token } = ok(await client.getSession()).session;
  const tabs = Array.from({ length: 10 }, () => newClient().refreshSession({ refresh_token }));
  const answers = (await Promise.all(tabs)).map((answer) => ok(answer).session.refresh_token);
  assert.equal(new Set(answers).size, 1);
  assert.notEqual(answers[0], refresh_token);
});

test('a token that was stolen ends the session when it is used again', async () => {
  const { client } = await newUser();
  const stolen = ok(await client.getSession()).session.refresh_token;
  ok(await client.refreshSession());
  const { refresh_token } = ok(await client.refreshSession()).session;
  await advance(11);
  const again = await newClient().refreshSession({ refresh_token: stolen });
  refused(again, 400, 'refresh_token_already_used');
  const { error } = await newClient().refreshSession({ refresh_token });
  assert.ok(error);
});

test('the parent of the token in use is refused or taken after the interval, by profile', async () => {
  const { client } = await newUser();
  const parent = ok(await client.getSession()).session.refresh_token;
  const child = ok(await client.refreshSession()).session.refresh_token;
  await advance(11);
  const again = await newClient().refreshSession({ refresh_token: parent });
  if (isStd) {
    refused(again, 400, 'refresh_token_already_used');
  } else {
    assert.equal(ok(again).session.refresh_token, child);
  }
});
