// A new address, which both mailboxes must agree to.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  arrive, follow, isStd, mailTo, newAddress, newClient, newUser, ok, password, refused, site,
} from './server.mjs';

/** Somebody who has asked for a new address. */
async function changing() {
  const { client, email, id } = await newUser();
  const next = newAddress('new');
  const options = { emailRedirectTo: `${site}/changed` };
  const { user } = ok(await client.updateUser({ email: next }, options));
  assert.equal(user.email, email);
  assert.equal(user.new_email, next);
  assert.ok(user.email_change_sent_at);
  return { client, id, old: email, next, mails: [await mailTo(email), await mailTo(next)] };
}

/** The address of the account is the new one, for everybody. */
async function changed({ client, id, old, next }) {
  const { user } = ok(await client.getUser());
  assert.deepEqual([user.id, user.email, user.new_email], [id, next, undefined]);
  assert.equal(user.identities[0].identity_data.email, next);
  refused(await newClient().signInWithPassword({ email: old, password }), 400, 'invalid_credentials');
  assert.equal(ok(await newClient().signInWithPassword({ email: next, password })).user.id, id);
}

for (const order of [[0, 1], [1, 0]]) {
  const first = ['the old mailbox', 'the new mailbox'][order[0]];

  test(`both links are followed, first the one in ${first}`, async () => {
    const change = await changing();
    const [half, whole] = order.map((index) => change.mails[index].link);
    const landed = await follow(half);
    assert.equal(landed.page, `${site}/changed`);
    assert.ok(landed.fragment.message);
    assert.equal(landed.fragment.access_token, undefined);
    assert.equal(ok(await change.client.getUser()).user.email, change.old);
    const arrived = await follow(whole);
    assert.equal(arrived.fragment.type, 'email_change');
    await arrive(change.client, arrived);
    await changed(change);
  });

  test(`both codes are typed in, first the one in ${first}`, async () => {
    const change = await changing();
    const [half, whole] = order.map((index) => ({
      type: 'email_change',
      email: [change.old, change.next][index],
      token: change.mails[index].code,
    }));
    assert.deepEqual(ok(await change.client.verifyOtp(half)), { user: null, session: null });
    assert.equal(ok(await change.client.getUser()).user.email, change.old);
    const { session } = ok(await change.client.verifyOtp(whole));
    assert.equal(session.user.email, change.next);
    await changed(change);
  });
}

test('a link and a code go together', async () => {
  const change = await changing();
  await follow(change.mails[0].link);
  const typed = { type: 'email_change', email: change.next, token: change.mails[1].code };
  ok(await change.client.verifyOtp(typed));
  await changed(change);
});

test('one mailbox alone changes nothing', async () => {
  const { client, old, mails } = await changing();
  await follow(mails[1].link);
  const { fragment } = await follow(mails[1].link);
  assert.equal(fragment.access_token, undefined);
  assert.equal(ok(await client.getUser()).user.email, old);
  ok(await newClient().signInWithPassword({ email: old, password }));
});

test('the address of somebody else is not to be had', async () => {
  const { email } = await newUser();
  const { client } = await newUser();
  const answer = await client.updateUser({ email });
  if (!isStd) {
    refused(answer, 422, 'email_exists');
    return;
  }
  // The answer does not tell; the owner is told by mail.
  assert.equal(ok(answer).user.new_email, email);
  assert.equal((await mailTo(email)).link, null);
});
