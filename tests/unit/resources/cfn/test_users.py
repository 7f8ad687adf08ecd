"""Users of stacks, and their access keys."""

import dataclasses
import uuid

from orch import errors
from orch.context import request
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import stack_users as port
from orch.resources.cfn import access_key
from orch.resources.cfn import user
from tests import base
from tests.unit.resources import contexts
from tests.unit.resources import stack_users

_KEY = uuid.UUID(contexts.TOKEN).hex
_GIVEN = call_context.AdoptedResource(
    physical_id="of-another-stack", data={"a": 1}, metadata={"m": 1}
)


class UserTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.users = stack_users.Users()
        self.plugin = user.User(contexts.options())
        self.plugin.use_stack_users(self.users)

    def context(self, **properties: object) -> call_context.Context:
        return contexts.make(user.User, **properties)

    def requested_by(self, **caller: str) -> call_context.Context:
        return dataclasses.replace(
            self.context(), request=request.RequestContext(**caller)
        )

    def test_its_password_is_the_one_given_or_a_new_one(self) -> None:
        given = self.context(LoginProfile={"Password": "known"})
        self.assertEqual(contexts.TOKEN, self.plugin.create(given))
        self.assertEqual({contexts.TOKEN: "known"}, self.users.passwords)

        self.plugin.create(self.context())
        first = self.users.passwords[contexts.TOKEN]
        self.plugin.create(self.context())

        self.assertNotIn("known", first)
        self.assertNotEqual(first, self.users.passwords[contexts.TOKEN])

    def test_what_a_lost_attempt_made_is_found_and_completed(self) -> None:
        self.assertIsNone(self.plugin.find(self.context()))
        self.users.passwords[contexts.TOKEN] = "lost"

        found = self.plugin.find(self.context())

        self.assertEqual(contexts.TOKEN, found)
        self.assertNotEqual("lost", self.users.passwords[contexts.TOKEN])

    def test_one_that_is_adopted_is_another_user(self) -> None:
        taken = self.plugin.handle_adopt(self.context(), _GIVEN)

        self.assertEqual(
            (contexts.TOKEN, {}, {"m": 1}),
            (taken.physical_id, taken.data, taken.metadata),
        )
        self.assertEqual([contexts.TOKEN], list(self.users.passwords))

    def test_whose_name_or_domain_differs_is_somebody_else(self) -> None:
        known = {"user_name": contexts.TOKEN, "user_domain_id": "stacks"}
        for changed, answer in (
            ({}, True),
            ({"user_name": "other"}, False),
            ({"user_domain_id": "default"}, False),
        ):
            context = self.requested_by(**{**known, **changed})
            self.assertEqual(answer, self.plugin.is_of_caller(context))
        nobody = user.User(contexts.options())
        self.assertFalse(nobody.is_of_caller(self.requested_by(**known)))

    def test_policies_in_place_are_refused(self) -> None:
        for wrong in ([{"PolicyName": "p"}], ["fine", 7]):
            error = self.assertRaises(
                errors.Invalid, self.plugin.validate, {"Policies": wrong}
            )
            self.assertIn("OS::Heat::AccessPolicy", error.message)
        self.plugin.validate({"Policies": ["fine"]})
        self.plugin.validate({})

    def test_one_that_somebody_has_removed_is_missed(self) -> None:
        self.assertRaises(
            reality.Vanished, self.plugin.get_reality, self.context()
        )
        self.plugin.create(self.context())
        self.assertEqual({}, self.plugin.get_reality(self.context()))

    def test_without_a_domain_the_type_is_not_served(self) -> None:
        for kind in (user.User, access_key.AccessKey):
            plugin = kind(contexts.options())
            self.assertIn("stack_user_domain_id", str(plugin.lacks))
            plugin.use_stack_users(self.users)
            self.assertIsNone(plugin.lacks)
        bare = user.User(contexts.options())
        error = self.assertRaises(port.NoUsers, bare.create, self.context())
        self.assertIn("stack_user_domain_id", error.message)


class AccessKeyTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.users = stack_users.Users()
        self.users.passwords["owner-token"] = "p"
        self.plugin = access_key.AccessKey(contexts.options())
        self.plugin.use_stack_users(self.users)

    def context(self, **referred: object) -> call_context.Context:
        values = {"type_name": user.TYPE, "token": "owner-token", **referred}
        made = contexts.make(access_key.AccessKey, UserName="owner")
        return dataclasses.replace(
            made,
            referred=call_context.ReferredResource(
                name="owner",
                properties={},
                metadata={},
                is_scalable=False,
                **values,
            ),
        )

    def test_it_is_the_key_of_the_resource_that_is_named(self) -> None:
        self.assertEqual(_KEY, self.plugin.create(self.context()))
        self.assertEqual({_KEY: "owner-token"}, self.users.keys)
        self.assertEqual(
            {"UserName": "owner", "SecretAccessKey": f"secret of {_KEY}"},
            self.plugin.read_attributes(
                self.context(), ["UserName", "SecretAccessKey"]
            ),
        )

    def test_nobody_but_a_user_of_the_stack_may_be_named(self) -> None:
        nobody = dataclasses.replace(self.context(), referred=None)
        other = self.context(type_name="OS::Heat::Value")
        for wrong in (nobody, other):
            self.assertRaises(errors.Invalid, self.plugin.create, wrong)
        self.assertEqual({}, self.users.keys)

    def test_what_a_lost_attempt_made_is_found(self) -> None:
        self.assertIsNone(self.plugin.find(self.context()))
        self.users.keys[_KEY] = "owner-token"
        self.assertEqual(_KEY, self.plugin.find(self.context()))

    def test_one_that_is_adopted_is_another_key(self) -> None:
        taken = self.plugin.handle_adopt(self.context(), _GIVEN)
        self.assertEqual((_KEY, {}), (taken.physical_id, taken.data))
        self.assertEqual({_KEY: "owner-token"}, self.users.keys)

    def test_one_that_somebody_has_removed_is_missed(self) -> None:
        self.assertRaises(
            reality.Vanished, self.plugin.get_reality, self.context()
        )
        self.plugin.create(self.context())
        self.plugin.get_reality(self.context())
        self.plugin.delete(self.context())
        self.assertEqual({}, self.users.keys)
