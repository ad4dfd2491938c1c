"""Sign-in with an OpenID Connect server that others wrote."""

import itertools
import unittest

from provider import Landing, sign_in_at, tokens_of
from server import SITE, Case, new_client, new_user

PROVIDER = "keycloak"
TARGET = f"{SITE}/in"

_numbers = itertools.count(1)


def new_name() -> str:
    """The name of somebody who is new to the provider."""
    return f"ada-{next(_numbers)}"


def visit(client, name: str) -> Landing:
    """Starts a sign-in, and says where the browser ends up."""
    options = {"redirect_to": TARGET, "scopes": "email"}
    started = client.sign_in_with_oauth({"provider": PROVIDER, "options": options})
    assert started.provider == PROVIDER
    return sign_in_at(started.url, name)


def enter(name: str):
    """Signs in with a code: the client, and the answer."""
    client = new_client(flow_type="pkce")
    code = visit(client, name).query["code"]
    return client, client.exchange_code_for_session({"auth_code": code})


def link(client, name: str) -> Landing:
    """Adds an identity to the account of a client."""
    options = {"redirect_to": TARGET}
    started = client.link_identity({"provider": PROVIDER, "options": options})
    return sign_in_at(started.url, name)


def providers_of(client) -> list[str]:
    return sorted(one.provider for one in client.get_user_identities().identities)


class OAuth(Case):
    def test_a_code_becomes_a_session(self):
        name = new_name()
        client, answer = enter(name)
        self.assertTrue(answer.session.provider_token)
        self.assertEqual(answer.user.email, f"{name}@example.com")
        self.assertEqual(answer.user.user_metadata["full_name"], f"{name} of the provider")
        self.assertEqual(answer.user.app_metadata["providers"], [PROVIDER])
        self.assertEqual(providers_of(client), [PROVIDER])
        self.assertEqual(client.refresh_session().user.id, answer.user.id)
        self.assertEqual(enter(name)[1].user.id, answer.user.id)

    def test_the_fragment_has_a_session(self):
        name = new_name()
        client = new_client(flow_type="implicit")
        landing = visit(client, name)
        self.assertEqual(landing.page, TARGET)
        tokens = landing.fragment
        self.assertTrue(tokens["provider_token"])
        client.set_session(tokens["access_token"], tokens["refresh_token"])
        self.assertEqual(client.get_user().user.email, f"{name}@example.com")

    def test_a_code_is_of_no_use_without_its_verifier(self):
        client = new_client(flow_type="pkce")
        code = visit(client, new_name()).query["code"]
        thief = {"auth_code": code, "code_verifier": "x" * 43}
        self.refused(400, "bad_code_verifier", new_client().exchange_code_for_session, thief)
        client.exchange_code_for_session({"auth_code": code})
        again = {"auth_code": code, "code_verifier": "x" * 43}
        self.refused(404, "flow_state_not_found", client.exchange_code_for_session, again)

    def test_an_id_token_becomes_a_session(self):
        name = new_name()
        tokens = tokens_of(name, "the nonce")
        credentials = {
            "provider": PROVIDER,
            "token": tokens["id_token"],
            "access_token": tokens["access_token"],
            "nonce": "the nonce",
        }
        answer = new_client().sign_in_with_id_token(credentials)
        self.assertEqual(answer.user.email, f"{name}@example.com")
        self.assertEqual(enter(name)[1].user.id, answer.user.id)
        with self.assertRaises(Exception):
            new_client().sign_in_with_id_token({**credentials, "nonce": "another nonce"})

    def test_identities_are_linked_and_unlinked(self):
        client, _, id = new_user(new_client(flow_type="pkce"))
        name = new_name()
        code = link(client, name).query["code"]
        self.assertEqual(client.exchange_code_for_session({"auth_code": code}).user.id, id)
        self.assertEqual(providers_of(client), ["email", PROVIDER])
        self.assertEqual(enter(name)[1].user.id, id)
        identities = client.get_user_identities().identities
        client.unlink_identity(next(one for one in identities if one.provider == PROVIDER))
        self.assertEqual(providers_of(client), ["email"])
        last = client.get_user_identities().identities[0]
        self.refused(422, "single_identity_not_deletable", client.unlink_identity, last)

    def test_an_anonymous_user_becomes_somebody(self):
        client = new_client(flow_type="pkce")
        user = client.sign_in_anonymously().user
        self.assertTrue(user.is_anonymous)
        name = new_name()
        code = link(client, name).query["code"]
        known = client.exchange_code_for_session({"auth_code": code}).user
        self.assertEqual((known.id, known.is_anonymous), (user.id, False))
        self.assertEqual(known.email, f"{name}@example.com")


if __name__ == "__main__":
    unittest.main()
