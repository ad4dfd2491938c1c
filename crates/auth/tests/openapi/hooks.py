"""Who asks for what while schemathesis calls the auth server: a service, a user, or a user about to leave."""

import os

import requests
import schemathesis

PASSWORD = "a password for schemathesis"


def session(base, name):
    """A new session of an account, which is made if it is not there."""
    account = {"email": f"{name}@example.com", "password": PASSWORD}
    answer = requests.post(f"{base}/token?grant_type=password", json=account, timeout=60)
    if answer.status_code != 200:
        answer = requests.post(f"{base}/signup", json=account, timeout=60)
    answer.raise_for_status()
    return answer.json()["access_token"]


@schemathesis.auth(refresh_interval=None)
class Tokens:
    """Gives each operation the token that its security scheme asks for."""

    def __init__(self):
        self.reader = None

    def get(self, case, context):
        security = context.operation.definition.raw.get("security") or [{}]
        if "service" in security[0]:
            return os.environ["SERVICE_KEY"]
        if "bearer" not in security[0]:
            return None
        base = context.operation.base_url.rstrip("/")
        if context.operation.path == "/logout":
            return session(base, "leaving")
        # Whoever changes a password or deletes accounts may end this session.
        if self.reader is None or not is_good(base, self.reader):
            self.reader = session(base, f"reader.{os.urandom(4).hex()}")
        return self.reader

    def set(self, case, token, context):
        if token is not None:
            case.headers = {**(case.headers or {}), **bearer(token)}


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def is_good(base, token):
    return requests.get(f"{base}/user", headers=bearer(token), timeout=60).status_code == 200


@schemathesis.hook
def map_body(context, body):
    """Makes texts addresses and passwords long enough, so that accounts come to be."""
    if not isinstance(body, dict):
        return body
    better = dict(body)
    for name in ("email", "new_email"):
        # An empty one counts as absent, which is to be tried, too.
        if isinstance(body.get(name), str) and body[name] and "@" not in body[name]:
            better[name] = f"{body[name].encode().hex()[:40]}@example.com"
    if isinstance(body.get("password"), str):
        better["password"] = body["password"] + " and long enough"
    return better
