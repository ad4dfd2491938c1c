"""Starts oidc-provider-mock, an OpenID Connect server that others wrote, with its endpoints also where Keycloak has
them. Prints its URL."""

import logging
import os

import oidc_provider_mock
from werkzeug.serving import make_server

BELOW = "/protocol/openid-connect"
PATHS = {
    f"{BELOW}/auth": "/oauth2/authorize",
    f"{BELOW}/token": "/oauth2/token",
    f"{BELOW}/userinfo": "/userinfo",
}

# It is reached on this machine alone, without TLS.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
logging.getLogger("werkzeug").setLevel(logging.ERROR)
provider = oidc_provider_mock.app()


def moved(environ, start_response):
    """The provider, below other paths."""
    path = environ["PATH_INFO"]
    return provider({**environ, "PATH_INFO": PATHS.get(path, path)}, start_response)


server = make_server("127.0.0.1", 0, moved, threaded=True)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
