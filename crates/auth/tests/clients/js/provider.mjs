// A browser in which somebody signs in at the OpenID Connect server of the test.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';

import { site } from './server.mjs';

const { PROVIDER } = process.env;
// Only oidc-provider has users whom nobody has told it about, and a button for those who change their minds.
export const isMock = process.env.PROVIDER_NAME === 'oidc_provider_mock';

/** Tells the provider about somebody, whose address is verified unless the name begins with `unverified`. */
async function register(name) {
  if (!isMock) {
    return;
  }
  const answer = await fetch(`${PROVIDER}/users/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      email: `${name}@example.com`,
      email_verified: !name.startsWith('unverified'),
      name: `${name} of the provider`,
    }),
  });
  assert.equal(answer.status, 204);
}

class Browser {
  #cookies = new Map();

  async open(url, init = {}) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      this.#cookies.set(name, value);
    }
    return answer;
  }

  /** Follows redirects; `onPage` says what to open from a page. Ends at the site. */
  async follow(url, onPage) {
    let step = { url };
    for (let count = 0; count < 20; count += 1) {
      const answer = await this.open(step.url, step.init);
      const text = await answer.text();
      const location = answer.headers.get('location');
      if (!location) {
        assert.equal(answer.status, 200, text);
        step = onPage(step.url, text);
        continue;
      }
      const next = new URL(location, step.url);
      if (next.origin === site) {
        return landing(next);
      }
      step = { url: next.href };
    }
    throw new Error(`${url} does not lead to the site`);
  }
}

function landing(url) {
  return {
    page: url.origin + url.pathname,
    query: Object.fromEntries(url.searchParams),
    fragment: Object.fromEntries(new URLSearchParams(url.hash.slice(1))),
  };
}

/** Fills in the first form of a page. */
function submit(url, page, name) {
  const form = /<form[^]*?<\/form>/.exec(page)?.[0];
  assert.ok(form, `no form: ${page}`);
  const attribute = (element, key) => new RegExp(`\\b${key}="([^"]*)"`).exec(element)?.[1];
  const body = new URLSearchParams();
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    body.set(attribute(input, 'name'), attribute(input, 'value') ?? name);
  }
  return { url: new URL(attribute(form, 'action') ?? '', url).href, init: { method: 'POST', body } };
}

/** Opens the URL of a sign-in, signs in there, and says where the browser ends up. */
export async function signInAt(url, name) {
  await register(name);
  return new Browser().follow(url, (at, page) => submit(at, page, name));
}

/** Opens the URL of a sign-in, and refuses to sign in. */
export async function refuseAt(url) {
  return new Browser().follow(url, (at, page) => {
    const [, way] = /href="([^"]*\/abort)"/.exec(page);
    return { url: new URL(way, at).href };
  });
}

/** Gets tokens from the provider without the server, as an app does that asks there by itself. */
export async function tokensOf(name, nonce) {
  const verifier = randomBytes(32).toString('base64url');
  const sha256 = (text, encoding) => createHash('sha256').update(text).digest(encoding);
  const redirect_uri = `${site}/app`;
  const query = new URLSearchParams({
    client_id: 'app',
    redirect_uri,
    response_type: 'code',
    scope: 'openid profile email',
    state: 'state',
    nonce: sha256(nonce, 'hex'),
    code_challenge: sha256(verifier, 'base64url'),
    code_challenge_method: 'S256',
  });
  const below = `${PROVIDER}/protocol/openid-connect`;
  const { query: { code } } = await signInAt(`${below}/auth?${query}`, name);
  const answer = await fetch(`${below}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'app',
      client_secret: 'secret of the app',
      code,
      redirect_uri,
      code_verifier: verifier,
    }),
  });
  const tokens = await answer.json();
  assert.equal(answer.status, 200, JSON.stringify(tokens));
  return tokens;
}
