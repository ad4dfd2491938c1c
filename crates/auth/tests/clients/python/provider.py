"""A browser in which somebody signs in at the OpenID Connect server of the test."""

import base64
import hashlib
import os
import re
import secrets
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import httpx

from server import PATIENCE, SITE

PROVIDER = os.environ["PROVIDER"]
IS_MOCK = os.environ["PROVIDER_NAME"] == "oidc_provider_mock"


class Landing:
    """Where the browser ends up."""

    def __init__(self, url: str) -> None:
        target = urlsplit(url)
        self.page = f"{target.scheme}://{target.netloc}{target.path}"
        self.query = {name: values[0] for name, values in parse_qs(target.query).items()}
        self.fragment = {name: values[0] for name, values in parse_qs(target.fragment).items()}


def register(name: str) -> None:
    """Tells the provider about somebody; oidc-provider lets in whoever comes."""
    if IS_MOCK:
        claims = {
            "email": f"{name}@example.com",
            "email_verified": True,
            "name": f"{name} of the provider",
        }
        httpx.put(f"{PROVIDER}/users/{name}", json=claims, timeout=PATIENCE).raise_for_status()


def filled(page: str, name: str) -> tuple[str, dict]:
    """The address and the members of the first form of a page."""
    form = re.search(r"<form.*?</form>", page, re.DOTALL)
    assert form, page

    def attribute(element: str, key: str) -> str | None:
        found = re.search(rf'\b{key}="([^"]*)"', element)
        return found and found[1]

    inputs = re.findall(r"<input[^>]*>", form[0])
    members = {attribute(one, "name"): attribute(one, "value") or name for one in inputs}
    return attribute(form[0], "action") or "", members


def sign_in_at(url: str, name: str) -> Landing:
    """Opens the URL of a sign-in, signs in there, and says where the browser ends up."""
    register(name)
    with httpx.Client(timeout=PATIENCE) as browser:
        answer = browser.get(url)
        for _ in range(20):
            if answer.is_redirect:
                url = urljoin(str(answer.url), answer.headers["location"])
                if url.startswith(SITE):
                    return Landing(url)
                answer = browser.get(url)
            else:
                assert answer.status_code == 200, answer.text
                action, members = filled(answer.text, name)
                answer = browser.post(urljoin(str(answer.url), action), data=members)
    raise AssertionError(f"{url} does not lead to the site")


def tokens_of(name: str, nonce: str) -> dict:
    """Gets tokens from the provider without the server, as an app does that asks there by itself."""
    verifier = secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
    redirect_uri = f"{SITE}/app"
    query = urlencode({
        "client_id": "app",
        "redirect_uri": redirect_uri,
        "response_type": "code",
        "scope": "openid profile email",
        "state": "state",
        "nonce": hashlib.sha256(nonce.encode()).hexdigest(),
        "code_challenge": challenge.decode().rstrip("="),
        "code_challenge_method": "S256",
    })
    below = f"{PROVIDER}/protocol/openid-connect"
    code = sign_in_at(f"{below}/auth?{query}", name).query["code"]
    form = {
        "grant_type": "authorization_code",
        "client_id": "app",
        "client_secret": "secret of the app",
        "code": code,
        "redirect_uri": redirect_uri,
        "code_verifier": verifier,
    }
    return httpx.post(f"{below}/token", data=form, timeout=PATIENCE).raise_for_status().json()
