// What an app's own server does with the service key.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  admin, arrive, follow, isStd, mailTo, newAddress, newClient, newUser, ok, password, refused, site,
} from './server.mjs';

test('a user is created as given', async () => {
  const email = newAddress();
  const given = {
    email,
    password,
    email_confirm: true,
    user_metadata: { name: 'Ada' },
    app_metadata: { plan: 'gold' },
  };
  const { user } = ok(await admin.createUser(given));
  assert.equal(user.email, email);
  assert.ok(user.email_confirmed_at);
  const mark = isStd ? {} : { email_verified: true };
  assert.deepEqual(user.user_metadata, { name: 'Ada', ...mark });
  assert.deepEqual(user.app_metadata, { plan: 'gold', provider: 'email', providers: ['email'] });
  assert.equal(ok(await newClient().signInWithPassword({ email, password })).user.id, user.id);
  refused(await admin.createUser({ email }), 422, 'email_exists');
});

test('a user is created unconfirmed, without a password, under a chosen id', async () => {
  const email = newAddress();
  const id = '1f0c6a5e-0d9a-4a53-9b61-2f1d9b1a7c55';
  const { user } = ok(await admin.createUser({ id, email }));
  assert.equal(user.id, id);
  assert.equal(user.email_confirmed_at, undefined);
  refused(await newClient().signInWithPassword({ email, password }), 400, 'invalid_credentials');
});

test('a hash of another server is taken over', async () => {
  const email = newAddress();
  const password_hash = '$2b$04$XoLawok80TCsx1mqq7r.eOtXOIEkRq/Pi01bvPZbjc74o2cBV/M1q';
  ok(await admin.createUser({ email, email_confirm: true, password_hash }));
  ok(await newClient().signInWithPassword({ email, password }));
  ok(await newClient().signInWithPassword({ email, password }));
});

test('users are listed page by page, the newest first', async () => {
  const ids = [];
  for (let count = 0; count < 5; count += 1) {
    ids.unshift(ok(await admin.createUser({ email: newAddress('listed') })).user.id);
  }
  const first = ok(await admin.listUsers({ page: 1, perPage: 2 }));
  const second = ok(await admin.listUsers({ page: 2, perPage: 2 }));
  assert.deepEqual([...first.users, ...second.users].map(({ id }) => id), ids.slice(0, 4));
  assert.equal(first.nextPage, 2);
  assert.equal(first.lastPage, Math.ceil(first.total / 2));
  const last = ok(await admin.listUsers({ page: first.lastPage, perPage: 2 }));
  assert.equal(last.nextPage, null);
  const all = ok(await admin.listUsers());
  assert.equal(all.users.length, all.total);
  assert.equal(all.aud, 'authenticated');
  refused(await admin.listUsers({ page: -1 }), 400, 'validation_failed');
});

test('a user is looked up and changed', async () => {
  const { client, email, id } = await newUser();
  assert.equal(ok(await admin.getUserById(id)).user.email, email);
  const changed = ok(await admin.updateUserById(id, {
    email: newAddress('new'),
    email_confirm: true,
    password: 'battery staple',
    user_metadata: { name: 'Ada' },
    app_metadata: { plan: 'gold' },
    role: 'editor',
  })).user;
  assert.notEqual(changed.email, email);
  assert.equal(changed.user_metadata.name, 'Ada');
  assert.equal(changed.app_metadata.plan, 'gold');
  assert.equal(changed.role, 'editor');
  const signIn = { email: changed.email, password: 'battery staple' };
  assert.equal(ok(await client.signInWithPassword(signIn)).user.id, id);
  const unknown = '00000000-0000-4000-8000-000000000000';
  refused(await admin.updateUserById(unknown, { role: 'editor' }), 404, 'user_not_found');
});

test('a deleted user leaves nothing', async () => {
  const { email, id } = await newUser();
  assert.equal(ok(await admin.deleteUser(id)).user.id, id);
  refused(await admin.getUserById(id), 404, 'user_not_found');
  refused(await admin.deleteUser(id), 404, 'user_not_found');
  ok(await admin.createUser({ email, password, email_confirm: true }));
});

test('a softly deleted user leaves an id', async () => {
  const { email, id } = await newUser();
  ok(await admin.deleteUser(id, true));
  const { user } = ok(await admin.getUserById(id));
  assert.ok(user.deleted_at);
  assert.notEqual(user.email, email);
  refused(await newClient().signInWithPassword({ email, password }), 400, 'invalid_credentials');
  ok(await admin.createUser({ email, password, email_confirm: true }));
});

for (const way of ['link', 'code']) {
  test(`an invited user comes in by the ${way}`, async () => {
    const email = newAddress();
    const options = { data: { team: 'engines' }, redirectTo: `${site}/team` };
    const { user } = ok(await admin.inviteUserByEmail(email, options));
    assert.ok(user.invited_at);
    assert.equal(user.user_metadata.team, 'engines');
    const { link, code } = await mailTo(email);
    const client = newClient();
    if (way === 'link') {
      const landed = await follow(link);
      assert.equal(landed.page, `${site}/team`);
      assert.equal(landed.fragment.type, 'invite');
      await arrive(client, landed);
    } else {
      ok(await client.verifyOtp({ type: 'invite', email, token: code }));
    }
    ok(await client.updateUser({ password }));
    assert.equal(ok(await newClient().signInWithPassword({ email, password })).user.id, user.id);
    refused(await admin.inviteUserByEmail(email), 422, 'email_exists');
  });
}

/** What each kind of link is asked for with, and the type its code is typed in as. */
const kinds = {
  signup: async () => ({ email: newAddress(), password }),
  invite: async () => ({ email: newAddress() }),
  magiclink: async () => ({ email: (await newUser()).email }),
  recovery: async () => ({ email: (await newUser()).email }),
};

for (const [type, fields] of Object.entries(kinds)) {
  test(`the app's server mails the ${type} link itself`, async () => {
    const { email, ...rest } = await fields();
    const generate = async () => {
      const params = { type, email, ...rest, options: { redirectTo: `${site}/here` } };
      const { properties, user } = ok(await admin.generateLink(params));
      assert.equal(user.email, email);
      assert.equal(properties.verification_type, type);
      assert.equal(properties.redirect_to, `${site}/here`);
      return properties;
    };
    const { action_link, hashed_token } = await generate();
    assert.equal(
      action_link,
      `${process.env.AUTH}/verify?token=${hashed_token}&type=${type}&redirect_to=${site}/here`,
    );
    const landed = await follow(action_link);
    assert.equal(landed.page, `${site}/here`);
    assert.equal((await arrive(newClient(), landed)).user.email, email);
  });

  test(`the app's server shows the ${type} code and secret itself`, async () => {
    const client = newClient();
    const { email, ...rest } = await fields();
    const shown = ok(await admin.generateLink({ type, email, ...rest })).properties;
    const byCode = { type, email, token: shown.email_otp };
    assert.equal(ok(await client.verifyOtp(byCode)).user.email, email);
    const other = await fields();
    const { hashed_token: token_hash } = ok(await admin.generateLink({ type, ...other })).properties;
    assert.equal(ok(await client.verifyOtp({ type, token_hash })).user.email, other.email);
  });
}

test('the app\'s server changes an address with links of its own', async () => {
  const { client, email } = await newUser();
  const newEmail = newAddress('new');
  const links = [];
  for (const type of ['email_change_current', 'email_change_new']) {
    const { properties, user } = ok(await admin.generateLink({ type, email, newEmail }));
    assert.equal(user.new_email, newEmail);
    assert.equal(properties.verification_type, type);
    assert.match(properties.action_link, /&type=email_change&/);
    links.push(properties.action_link);
  }
  assert.ok((await follow(links[0])).fragment.message);
  await arrive(client, await follow(links[1]));
  assert.equal(ok(await client.getUser()).user.email, newEmail);
});

test('links are made for good input only', async () => {
  const wrong = await admin.generateLink({ type: 'signup', email: 'xx:;x@x.x', password });
  refused(wrong, 400, 'validation_failed');
  const unknown = await admin.generateLink({ type: 'recovery', email: newAddress('nobody') });
  refused(unknown, 404, 'user_not_found');
});
