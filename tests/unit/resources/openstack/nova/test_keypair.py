"""Key pairs: nobody takes another one's."""

import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import id_scopes
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds


class KeyPairTests(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Nova::KeyPair")

    def setUp(self) -> None:
        super().setUp()
        self.use(
            clouds.Cloud(os_keypairs=clouds.Collection("keypair", "keypairs"))
        )

    def add_keypair(self, **body: typing.Any) -> None:
        self.cloud.add("/os-keypairs", id=body["name"], **body)

    def test_each_user_has_names_of_its_own(self) -> None:
        accounts = [
            id_scopes.Account(project, user)
            for project, user in (("p", "u"), ("q", "u"), ("p", "v"))
        ]

        found = [
            self.plugin.get_id_scope(each, {"name": "k"}) for each in accounts
        ]

        # Of both projects the user has the same key pairs.
        self.assertEqual(["u", "u", "v"], found)
        self.assertIsNone(
            self.plugin.get_id_scope(accounts[0], {"user": "alice"})
        )

    def test_a_private_key_is_shown_where_it_is_kept(self) -> None:
        context = self.context(name="k", save_private_key=True)
        self.cloud.answers["POST", "/os-keypairs"] = (
            200,
            {"keypair": {"name": "k", "public_key": "p", "private_key": "s"}},
        )
        self.add_keypair(name="k", public_key="p")

        made = self.plugin.create(context)

        assert isinstance(made, call_context.CreateResult)
        self.assertEqual(
            ("k", {"private_key": "s"}), (made.physical_id, made.data)
        )
        context = self.context(
            name="k",
            save_private_key=True,
            physical_id="k",
            data={"private_key": "s"},
        )
        self.assertEqual(
            {"private_key": "s", "public_key": "p"},
            self.plugin.read_attributes(
                context, ["private_key", "public_key"]
            ),
        )

    def test_a_name_that_is_taken_is_no_reason_to_wait(self) -> None:
        self.cloud.refuse("POST", "/os-keypairs", 409)

        self.assertRaises(
            errors.Permanent, self.plugin.create, self.context(name="k")
        )

    def test_a_lost_one_is_found_by_its_public_key(self) -> None:
        self.add_keypair(name="k", public_key="ssh-rsa A\n")

        context = self.context(name="k", public_key="ssh-rsa A")
        found = self.find_lost(context)

        assert found is not None
        self.assertEqual("k", found.physical_id)
        for other in (
            self.context(name="k", public_key="ssh-rsa B"),
            self.context(name="other"),
        ):
            self.assertIsNone(self.find_lost(other))
        # After a refusal it is the key pair of others.
        self.assertIsNone(self.plugin.find(context))

    def test_whose_keys_the_service_has_made_nobody_can_tell(self) -> None:
        self.add_keypair(name="k", public_key="ssh-rsa A")

        self.assertRaises(
            call_context.OutcomeUnknown,
            self.find_lost,
            self.context(name="k"),
        )
