"""Everything that goes through the mailbox, where addresses must be confirmed."""

import unittest

from server import (
    ADMIN, IS_STD, PASSWORD, SITE, Case, Landed, advance, arrive, mail_to, new_address, new_client, new_user,
)

NEXT = "battery staple"


class SignUp(Case):
    def test_nobody_signs_in_before_the_link_was_followed(self):
        client, email = new_client(), new_address()
        options = {"data": {"name": "Ada"}}
        answer = client.sign_up({"email": email, "password": PASSWORD, "options": options})
        self.assertIsNone(answer.session)
        self.assertIsNone(answer.user.email_confirmed_at)
        self.assertEqual(answer.user.user_metadata["name"], "Ada")
        self.assertEqual(answer.user.identities[0].provider, "email")
        login = {"email": email, "password": PASSWORD}
        self.refused(400, "email_not_confirmed", client.sign_in_with_password, login)

        landed = Landed(mail_to(email)["link"])
        self.assertEqual(landed.page, SITE)
        self.assertEqual(landed.fragment["type"], "signup")
        self.assertIsNotNone(arrive(client, landed).user.email_confirmed_at)
        self.signs_in(email)

    def test_the_client_reads_the_tokens_from_the_address(self):
        client, email = new_client(), new_address()
        client.sign_up({"email": email, "password": PASSWORD})
        client.initialize_from_url(Landed(mail_to(email)["link"]).url)
        self.assertEqual(client.get_user().user.email, email)

    def test_the_code_confirms_once(self):
        client, email, _ = new_user()
        self.assertEqual(client.get_user().user.email, email)
        other = new_address()
        client.sign_up({"email": other, "password": PASSWORD})
        token = mail_to(other)["code"]
        typed = {"type": "email", "email": other, "token": token}
        self.assertEqual(client.verify_otp(typed).user.email, other)
        self.refused(403, "otp_expired", client.verify_otp, typed)

    def test_a_second_mail_comes_on_request(self):
        client, email = new_client(), new_address()
        client.sign_up({"email": email, "password": PASSWORD})
        mail_to(email)
        again = {"type": "signup", "email": email}
        self.refused(429, "over_email_send_rate_limit", client.resend, again)
        advance(900 if IS_STD else 60)
        client.resend(again)
        token = mail_to(email)["code"]
        client.verify_otp({"type": "signup", "email": email, "token": token})

    def test_signing_up_twice_does_not_tell_that_the_address_is_taken(self):
        _, email, _ = new_user()
        advance(900)
        answer = new_client().sign_up({"email": email, "password": NEXT})
        self.assertIsNone(answer.session)
        self.assertIsNone(answer.user.email_confirmed_at)
        self.assertEqual(len(answer.user.identities), 1 if IS_STD else 0)
        self.is_refused(email, NEXT)


class OneTime(Case):
    def test_a_code_signs_in_and_makes_an_account(self):
        client, email = new_client(), new_address()
        client.sign_in_with_otp({"email": email, "options": {"data": {"name": "Ada"}}})
        token = mail_to(email)["code"]
        answer = client.verify_otp({"type": "email", "email": email, "token": token})
        self.assertEqual(answer.user.user_metadata["name"], "Ada")

    def test_a_link_signs_in(self):
        _, email, id = new_user()
        client = new_client()
        client.sign_in_with_otp({"email": email})
        self.assertEqual(arrive(client, Landed(mail_to(email)["link"])).user.id, id)

    def test_a_link_signs_in_with_pkce(self):
        _, email, id = new_user()
        client = new_client(flow_type="pkce")
        client.sign_in_with_otp({"email": email, "options": {"email_redirect_to": f"{SITE}/here"}})
        landed = Landed(mail_to(email)["link"])
        self.assertEqual(landed.page, f"{SITE}/here")
        answer = client.exchange_code_for_session({"auth_code": landed.query["code"]})
        self.assertEqual(answer.user.id, id)

    def test_an_account_is_not_made_when_the_app_does_not_want_one(self):
        unwanted = {"email": new_address("nobody"), "options": {"should_create_user": False}}
        if IS_STD:
            new_client().sign_in_with_otp(unwanted)
        else:
            self.refused(422, "otp_disabled", new_client().sign_in_with_otp, unwanted)


class Recovery(Case):
    def sets_password(self, client, email):
        client.update_user({"password": NEXT})
        self.is_refused(email)
        self.signs_in(email, NEXT)

    def test_the_link_leads_to_a_session_in_which_a_password_is_set(self):
        _, email, _ = new_user()
        client = new_client()
        client.reset_password_for_email(email, {"redirect_to": f"{SITE}/reset"})
        landed = Landed(mail_to(email)["link"])
        self.assertEqual((landed.page, landed.fragment["type"]), (f"{SITE}/reset", "recovery"))
        arrive(client, landed)
        self.sets_password(client, email)

    def test_the_link_works_with_pkce(self):
        _, email, _ = new_user()
        client = new_client(flow_type="pkce")
        client.reset_password_for_email(email)
        code = Landed(mail_to(email)["link"]).query["code"]
        client.exchange_code_for_session({"auth_code": code})
        self.sets_password(client, email)

    def test_the_code_is_enough(self):
        _, email, _ = new_user()
        client = new_client()
        client.reset_password_for_email(email)
        token = mail_to(email)["code"]
        client.verify_otp({"type": "recovery", "email": email, "token": token})
        self.sets_password(client, email)

    def test_nobody_learns_who_has_an_account(self):
        new_client().reset_password_for_email(new_address("nobody"))


class EmailChange(Case):
    def test_both_mailboxes_agree(self):
        client, old, id = new_user()
        new = new_address("new")
        user = client.update_user({"email": new}).user
        self.assertEqual((user.email, user.new_email), (old, new))
        # The client cannot read the answer to the first code, so the first half is a link.
        self.assertIn("message", Landed(mail_to(old)["link"]).fragment)
        self.assertEqual(client.get_user().user.email, old)
        token = mail_to(new)["code"]
        answer = client.verify_otp({"type": "email_change", "email": new, "token": token})
        self.assertEqual((answer.user.id, answer.user.email), (id, new))
        self.is_refused(old)
        self.signs_in(new)

    def test_the_address_of_somebody_else_is_not_to_be_had(self):
        client, _, _ = new_user()
        _, taken, _ = new_user()
        if not IS_STD:
            self.refused(422, "email_exists", client.update_user, {"email": taken})
            return
        # The answer does not tell; the owner is told by mail.
        self.assertEqual(client.update_user({"email": taken}).user.new_email, taken)
        self.assertIsNone(mail_to(taken)["link"])


class Invite(Case):
    def test_an_invited_user_comes_in(self):
        email = new_address()
        options = {"data": {"team": "engines"}, "redirect_to": f"{SITE}/team"}
        user = ADMIN.invite_user_by_email(email, options).user
        self.assertIsNotNone(user.invited_at)
        landed = Landed(mail_to(email)["link"])
        self.assertEqual((landed.page, landed.fragment["type"]), (f"{SITE}/team", "invite"))
        client = new_client()
        self.assertEqual(arrive(client, landed).user.user_metadata["team"], "engines")
        client.update_user({"password": PASSWORD})
        self.signs_in(email)

    def test_the_code_of_an_invitation_is_enough(self):
        client, email = new_client(), new_address()
        ADMIN.invite_user_by_email(email)
        token = mail_to(email)["code"]
        client.verify_otp({"type": "invite", "email": email, "token": token})
        self.refused(422, "email_exists", ADMIN.invite_user_by_email, email)


if __name__ == "__main__":
    unittest.main(verbosity=2)
