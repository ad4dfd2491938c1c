// The server under test and its mailbox, as the scripts beside this file see them.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const { CLIENTS, AUTH, DESK, SERVICE_KEY } = process.env;
const library = createRequire(`${CLIENTS}/`)('@supabase/auth-js');

export const { AuthApiError, AuthInvalidJwtError, AuthSessionMissingError, AuthWeakPasswordError } =
  library;
export const isStd = process.env.PROFILE === 'std';
export const site = 'http://localhost:3000';
export const password = 'correct horse';

// Nothing here takes long; what hangs must fail.
setTimeout(() => {
  console.error('the script took too long');
  process.exit(1);
}, 300_000).unref();

/** What a browser keeps between visits. */
class Storage {
  #values = new Map();
  getItem = (key) => this.#values.get(key) ?? null;
  setItem = (key, value) => void this.#values.set(key, value);
  removeItem = (key) => void this.#values.delete(key);
}

let visitors = 0;

/** A client of its own, with its own storage, as in another browser. */
export function newClient(options = {}) {
  visitors += 1;
  return new library.AuthClient({
    url: AUTH,
    autoRefreshToken: false,
    storage: new Storage(),
    storageKey: `visitor-${visitors}`,
    ...options,
  });
}

/** What an app's own server uses. */
export const admin = new library.AuthAdminApi({
  url: AUTH,
  headers: { Authorization: `Bearer ${SERVICE_KEY}` },
});

let addresses = 0;

/** An address that nobody has used. */
export function newAddress(name = 'ada') {
  addresses += 1;
  return `${name}${addresses}@example.com`;
}

/** The data of an answer without error. */
export function ok({ data, error }) {
  assert.equal(error, null);
  return data;
}

/** The error of an answer, with the status and the code that the client found. */
export function refused({ data, error }, status, code) {
  assert.ok(error, `expected ${code}, got ${JSON.stringify(data)}`);
  assert.deepEqual([error.status, error.code], [status, code], error.message);
  return error;
}

/** The oldest unread mail to an address; waits for it. */
export async function mailTo(address) {
  const answer = await fetch(`${DESK}/mail/${encodeURIComponent(address)}`);
  assert.equal(answer.status, 200, `no mail to ${address}`);
  return answer.json();
}

/** Moves the server's clock. */
export async function advance(seconds) {
  const answer = await fetch(`${DESK}/clock/${seconds}`, { method: 'POST' });
  assert.equal(answer.status, 204);
}

/** Opens the link of a mail and says where the server sends the browser. */
export async function follow(link) {
  const answer = await fetch(link, { redirect: 'manual' });
  assert.equal(answer.status, 303, await answer.text());
  const target = new URL(answer.headers.get('location'));
  return {
    page: target.origin + target.pathname,
    query: Object.fromEntries(target.searchParams),
    fragment: Object.fromEntries(new URLSearchParams(target.hash.slice(1))),
  };
}

/** Signs in with the tokens that a link led to, as the page there does. */
export async function arrive(client, { fragment }) {
  assert.equal(fragment.error, undefined, fragment.error_description);
  assert.equal(fragment.token_type, 'bearer');
  assert.equal(fragment.expires_in, '3600');
  const { access_token, refresh_token } = fragment;
  return ok(await client.setSession({ access_token, refresh_token }));
}

/** Somebody who has signed up and confirmed. */
export async function newUser(client = newClient(), email = newAddress()) {
  const { session } = ok(await client.signUp({ email, password }));
  if (!session) {
    const { code } = await mailTo(email);
    ok(await client.verifyOtp({ type: 'signup', email, token: code }));
  }
  const { user } = ok(await client.getUser());
  return { client, email, id: user.id };
}
