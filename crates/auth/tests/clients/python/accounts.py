"""Accounts, sessions, errors and claims, where addresses need no confirmation."""

import asyncio
import unittest

from supabase_auth import AsyncGoTrueClient
from supabase_auth.errors import AuthInvalidJwtError, AuthWeakPasswordError

from server import (
    ADMIN, ALGORITHM, AUTH, IS_STD, PASSWORD, Case, advance, new_address, new_client, new_user,
)

NEXT = "battery staple"


class Accounts(Case):
    def test_a_sign_up_is_a_sign_in(self):
        client, email = new_client(), new_address()
        answer = client.sign_up({"email": email, "password": PASSWORD})
        self.assertEqual(answer.session.token_type, "bearer")
        self.assertEqual(answer.session.expires_in, 3600)
        self.assertIsNotNone(answer.user.email_confirmed_at)
        # In the gotrue profile the second date comes later, as in GoTrue.
        read = client.get_user().user
        self.assertEqual(read.confirmed_at, answer.user.email_confirmed_at)
        answer.user.confirmed_at = read.confirmed_at
        # In the gotrue profile the identity is marked in the first answer only, as in GoTrue.
        shown = answer.user.identities[0].identity_data
        self.assertIs(shown["email_verified"], True)
        shown["email_verified"] = IS_STD
        self.assertEqual(read, answer.user)

    def test_a_refresh_gives_new_tokens(self):
        client, _, id = new_user()
        before = client.get_session()
        advance(2)
        after = client.refresh_session().session
        self.assertNotEqual(after.refresh_token, before.refresh_token)
        self.assertNotEqual(after.access_token, before.access_token)
        self.assertEqual(client.get_user().user.id, id)

    def test_metadata_is_merged_and_a_password_replaced(self):
        client, email, _ = new_user()
        client.update_user({"data": {"name": "Ada", "town": "London"}})
        user = client.update_user({"data": {"town": None}, "password": NEXT}).user
        self.assertEqual(user.user_metadata["name"], "Ada")
        self.assertNotIn("town", user.user_metadata)
        self.is_refused(email)
        self.signs_in(email, NEXT)

    def test_the_asynchronous_client_does_the_same(self):
        async def story():
            client = AsyncGoTrueClient(url=AUTH, auto_refresh_token=False)
            email = new_address()
            answer = await client.sign_up({"email": email, "password": PASSWORD})
            refreshed = await client.refresh_session()
            self.assertNotEqual(refreshed.session.refresh_token, answer.session.refresh_token)
            updated = await client.update_user({"data": {"name": "Ada"}})
            self.assertEqual(updated.user.user_metadata["name"], "Ada")
            await client.sign_out()
            self.assertIsNone(await client.get_session())
            login = {"email": email, "password": PASSWORD}
            self.assertEqual((await client.sign_in_with_password(login)).user.id, answer.user.id)
            await client.close()

        asyncio.run(story())


class Sessions(Case):
    def three_devices(self):
        client, email, _ = new_user()
        devices = [client, self.signs_in(email), self.signs_in(email)]
        return devices, [device.get_session() for device in devices]

    def lives(self, session):
        client = new_client()
        client.get_user(session.access_token)
        client.refresh_session(session.refresh_token)

    def is_over(self, session):
        client = new_client()
        self.refused(403, "session_not_found", client.get_user, session.access_token)
        token = session.refresh_token
        self.refused(400, "refresh_token_not_found", client.refresh_session, token)

    def test_signing_out_ends_all_sessions(self):
        devices, sessions = self.three_devices()
        devices[0].sign_out()
        self.assertIsNone(devices[0].get_session())
        for session in sessions:
            self.is_over(session)

    def test_signing_out_here_leaves_the_others(self):
        devices, sessions = self.three_devices()
        devices[0].sign_out({"scope": "local"})
        self.is_over(sessions[0])
        self.lives(sessions[1])

    def test_signing_out_the_others_leaves_this_one(self):
        devices, sessions = self.three_devices()
        devices[0].sign_out({"scope": "others"})
        self.is_over(sessions[1])
        self.is_over(sessions[2])
        self.lives(sessions[0])

    def test_the_app_s_server_signs_a_user_out(self):
        _, sessions = self.three_devices()
        ADMIN.sign_out(sessions[0].access_token, "global")
        for session in sessions:
            self.is_over(session)

    def test_a_stolen_token_ends_the_session(self):
        client, _, _ = new_user()
        stolen = client.get_session().refresh_token
        client.refresh_session()
        client.refresh_session()
        advance(11)
        self.refused(400, "refresh_token_already_used", new_client().refresh_session, stolen)


class Errors(Case):
    def test_wrong_password_and_unknown_user_are_the_same(self):
        _, email, _ = new_user()
        self.is_refused(email, "wrong")
        self.is_refused(new_address("nobody"))

    def test_an_address_signs_up_once(self):
        _, email, _ = new_user()
        again = {"email": email, "password": PASSWORD}
        error = self.refused(422, "user_already_exists", new_client().sign_up, again)
        self.assertEqual(error.message, "User already registered")

    def test_a_weak_password_is_refused_with_reasons(self):
        weak = {"email": new_address(), "password": "short"}
        error = self.refused(422, "weak_password", new_client().sign_up, weak)
        self.assertIsInstance(error, AuthWeakPasswordError)
        self.assertEqual(error.reasons, ["length"])

    def test_an_unknown_refresh_token_is_not_found(self):
        client = new_client()
        self.refused(400, "refresh_token_not_found", client.refresh_session, "unknown")

    def test_a_token_that_was_tampered_with_is_refused(self):
        client, _, _ = new_user()
        header, payload, _ = client.get_session().access_token.split(".")
        error = self.refused(403, "bad_jwt", client.get_user, f"{header}.{payload}.AAAA")
        self.assertTrue(error.message.startswith("invalid JWT"), error.message)


class Claims(Case):
    def test_the_claims_say_who_it_is(self):
        client, email, id = new_user()
        answer = client.get_claims()
        claims = answer["claims"]
        self.assertEqual(answer["headers"]["alg"], ALGORITHM)
        self.assertEqual((claims["sub"], claims["email"]), (id, email))
        self.assertEqual((claims["role"], claims["aal"]), ("authenticated", "aal1"))

    def test_a_token_of_another_hand_is_refused(self):
        client, _, _ = new_user()
        header, payload, _ = client.get_session().access_token.split(".")
        forged = f"{header}.{payload}.{'A' * 86}"
        if IS_STD:
            with self.assertRaises(AuthInvalidJwtError):
                client.get_claims(jwt=forged)
        else:
            self.refused(403, "bad_jwt", client.get_claims, jwt=forged)


if __name__ == "__main__":
    unittest.main(verbosity=2)
