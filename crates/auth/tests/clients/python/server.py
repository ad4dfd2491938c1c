"""The server under test and its mailbox, as the scripts beside this file see them."""

import faulthandler
import itertools
import os
import unittest
from urllib.parse import parse_qs, quote, urlsplit

import httpx
from supabase_auth import SyncGoTrueAdminAPI, SyncGoTrueClient
from supabase_auth.errors import AuthError

AUTH = os.environ["AUTH"]
DESK = os.environ["DESK"]
ALGORITHM = os.environ["ALGORITHM"]
IS_STD = os.environ["PROFILE"] == "std"
SITE = "http://localhost:3000"
PASSWORD = "correct horse"

# Nothing here takes long; what hangs must fail.
faulthandler.dump_traceback_later(300, exit=True)

# How long an answer may take on a busy machine, in seconds.
PATIENCE = 60


def patient() -> httpx.Client:
    """Like the client that the library makes, which gives up after five seconds."""
    return httpx.Client(follow_redirects=True, http2=True, timeout=PATIENCE)


# What an app's own server uses.
ADMIN = SyncGoTrueAdminAPI(
    url=AUTH,
    headers={"Authorization": f"Bearer {os.environ['SERVICE_KEY']}"},
    http_client=patient(),
)

_numbers = itertools.count(1)


def new_client(**options) -> SyncGoTrueClient:
    """A client of its own, with its own storage."""
    return SyncGoTrueClient(
        url=AUTH, auto_refresh_token=False, http_client=patient(), **options
    )


def new_address(name: str = "ada") -> str:
    """An address that nobody has used."""
    return f"{name}{next(_numbers)}@example.com"


def mail_to(address: str) -> dict:
    """The oldest unread mail to an address; waits for it."""
    answer = httpx.get(f"{DESK}/mail/{quote(address)}", timeout=2 * PATIENCE)
    return answer.raise_for_status().json()


def advance(seconds: int) -> None:
    """Moves the server's clock."""
    httpx.post(f"{DESK}/clock/{seconds}", timeout=PATIENCE).raise_for_status()


class Landed:
    """Where the link of a mail leads to."""

    def __init__(self, link: str) -> None:
        answer = httpx.get(link, timeout=PATIENCE)
        assert answer.status_code == 303, answer.text
        self.url = answer.headers["location"]
        target = urlsplit(self.url)
        self.page = f"{target.scheme}://{target.netloc}{target.path}"
        self.query = {name: values[0] for name, values in parse_qs(target.query).items()}
        self.fragment = {name: values[0] for name, values in parse_qs(target.fragment).items()}


def arrive(client: SyncGoTrueClient, landed: Landed):
    """Signs in with the tokens that a link led to, as the page there does."""
    tokens = landed.fragment
    return client.set_session(tokens["access_token"], tokens["refresh_token"])


def new_user(client: SyncGoTrueClient | None = None):
    """Somebody who has signed up and confirmed: client, address and id."""
    client = client or new_client()
    email = new_address()
    answer = client.sign_up({"email": email, "password": PASSWORD})
    if answer.session is None:
        token = mail_to(email)["code"]
        answer = client.verify_otp({"type": "signup", "email": email, "token": token})
    return client, email, answer.user.id


class Case(unittest.TestCase):
    """A test with a word for errors."""

    maxDiff = None

    def refused(self, status: int, code: str, call, *args, **kwargs) -> AuthError:
        """The call fails with the status and the code that the client found."""
        with self.assertRaises(AuthError) as caught:
            call(*args, **kwargs)
        error = caught.exception
        self.assertEqual((error.status, error.code), (status, code), error.message)
        return error

    def signs_in(self, email: str, password: str = PASSWORD):
        """The user signs in with a password, in a client of its own."""
        client = new_client()
        client.sign_in_with_password({"email": email, "password": password})
        return client

    def is_refused(self, email: str, password: str = PASSWORD) -> None:
        """The password does not sign in."""
        login = {"email": email, "password": password}
        self.refused(400, "invalid_credentials", new_client().sign_in_with_password, login)
