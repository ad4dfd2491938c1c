"""What an app's own server does with the service key."""

import unittest
import uuid

from server import (
    ADMIN, AUTH, IS_STD, PASSWORD, SITE, Case, Landed, arrive, new_address, new_client, new_user,
)

NEXT = "battery staple"


class Users(Case):
    def test_a_user_is_created_as_given(self):
        email = new_address()
        user = ADMIN.create_user(
            {
                "email": email,
                "password": PASSWORD,
                "email_confirm": True,
                "user_metadata": {"name": "Ada"},
                "app_metadata": {"plan": "gold"},
            }
        ).user
        self.assertIsNotNone(user.email_confirmed_at)
        mark = {} if IS_STD else {"email_verified": True}
        self.assertEqual(user.user_metadata, {"name": "Ada", **mark})
        expected = {"plan": "gold", "provider": "email", "providers": ["email"]}
        self.assertEqual(user.app_metadata, expected)
        self.signs_in(email)
        self.refused(422, "email_exists", ADMIN.create_user, {"email": email})

    def test_users_are_listed_page_by_page_the_newest_first(self):
        created = [ADMIN.create_user({"email": new_address("listed")}).user.id for _ in range(3)]
        pages = [ADMIN.list_users(page=page, per_page=2) for page in (1, 2)]
        listed = [user.id for page in pages for user in page]
        self.assertEqual(listed[:3], created[::-1])
        self.assertIn(created[0], [user.id for user in ADMIN.list_users()])
        self.refused(400, "validation_failed", ADMIN.list_users, page=-1)

    def test_a_user_is_looked_up_and_changed(self):
        _, email, id = new_user()
        self.assertEqual(ADMIN.get_user_by_id(id).user.email, email)
        new = new_address("new")
        attributes = {
            "email": new,
            "email_confirm": True,
            "password": NEXT,
            "user_metadata": {"name": "Ada"},
            "app_metadata": {"plan": "gold"},
        }
        user = ADMIN.update_user_by_id(id, attributes).user
        self.assertEqual((user.id, user.email), (id, new))
        self.assertEqual(user.app_metadata["plan"], "gold")
        self.signs_in(new, NEXT)
        self.refused(404, "user_not_found", ADMIN.get_user_by_id, str(uuid.uuid4()))

    def test_a_banned_user_stays_out(self):
        _, email, id = new_user()
        ADMIN.update_user_by_id(id, {"ban_duration": "24h"})
        login = {"email": email, "password": PASSWORD}
        self.refused(400, "user_banned", new_client().sign_in_with_password, login)
        ADMIN.update_user_by_id(id, {"ban_duration": "none"})
        self.signs_in(email)

    def test_a_user_is_deleted_softly_and_for_good(self):
        _, email, id = new_user()
        ADMIN.delete_user(id, should_soft_delete=True)
        self.assertNotEqual(ADMIN.get_user_by_id(id).user.email, email)
        self.is_refused(email)
        ADMIN.delete_user(id)
        self.refused(404, "user_not_found", ADMIN.get_user_by_id, id)


class Links(Case):
    def shown(self, type, email, **fields):
        options = {"redirect_to": f"{SITE}/here"}
        answer = ADMIN.generate_link({"type": type, "email": email, "options": options, **fields})
        self.assertEqual(answer.properties.verification_type, type)
        return answer

    def test_links_come_in_four_kinds(self):
        for type in ("signup", "invite", "magiclink", "recovery"):
            known = type in ("magiclink", "recovery")
            fields = {"password": PASSWORD} if type == "signup" else {}
            for way in ("link", "code", "secret"):
                with self.subTest(type=type, way=way):
                    email = new_user()[1] if known else new_address()
                    shown = self.shown(type, email, **fields).properties
                    link = f"{AUTH}/verify?token={shown.hashed_token}&type={type}&redirect_to={SITE}/here"
                    self.assertEqual(shown.action_link, link)
                    client = new_client()
                    if way == "link":
                        arrive(client, Landed(link))
                    elif way == "code":
                        client.verify_otp({"type": type, "email": email, "token": shown.email_otp})
                    else:
                        client.verify_otp({"type": type, "token_hash": shown.hashed_token})
                    self.assertEqual(client.get_user().user.email, email)

    def test_an_address_is_changed_by_two_links(self):
        client, email, _ = new_user()
        new = new_address("new")
        kinds = ("email_change_current", "email_change_new")
        answers = [self.shown(kind, email, new_email=new) for kind in kinds]
        self.assertEqual([answer.user.new_email for answer in answers], [new, new])
        links = [answer.properties.action_link for answer in answers]
        self.assertIn("message", Landed(links[0]).fragment)
        arrive(client, Landed(links[1]))
        self.assertEqual(client.get_user().user.email, new)


if __name__ == "__main__":
    unittest.main(verbosity=2)
