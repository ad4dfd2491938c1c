// Starts oidc-provider, an OpenID Connect server that others wrote, with its endpoints where Keycloak has them. Who
// types a name at its sign-in page has an address of that name, verified unless the name begins with `unverified`.
// Prints its URL.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { CLIENTS, CALLBACK, SITE, SECRET } = process.env;
const path = createRequire(`${CLIENTS}/`).resolve('oidc-provider');
const { Provider } = await import(pathToFileURL(path));

const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;

const below = '/protocol/openid-connect';
const provider = new Provider(url, {
  clients: [
    // The server under test.
    {
      client_id: 'inn',
      client_secret: SECRET,
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'client_secret_post',
    },
    // An app that gets id tokens by itself.
    {
      client_id: 'app',
      client_secret: 'secret of the app',
      redirect_uris: [`${SITE}/app`],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  routes: {
    authorization: `${below}/auth`,
    token: `${below}/token`,
    userinfo: `${below}/userinfo`,
    jwks: `${below}/certs`,
  },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  // Id tokens have the claims of all scopes, as those of Keycloak do.
  conformIdTokenClaims: false,
  cookies: { keys: ['only for tests'] },
  pkce: { required: () => true },
  findAccount: (_, name) => ({
    accountId: name,
    claims: () => ({
      sub: name,
      email: `${name}@example.com`,
      email_verified: !name.startsWith('unverified'),
      name: `${name} of the provider`,
    }),
  }),
});
server.on('request', provider.callback());
console.log(url);
