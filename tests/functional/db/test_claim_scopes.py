"""Rows of an earlier release have no scope; their properties say it."""

import hashlib

import testscenarios

from orch.db.repositories import ownership
from orch.db.repositories import resources
from orch.db.repositories import stacks
from orch.flow.state import claims
from orch.plugin import id_scopes
from orch.plugin import resource
from tests.functional.db import base
from tests.functional.db import statements

load_tests = testscenarios.load_tests_apply_scenarios


class Scoped(resource.Resource):
    """Ids are unique for a user, at a place."""

    type_name = "T::Scoped"

    def get_id_scope(
        self, account: id_scopes.Account, properties: dict[str, object]
    ) -> str | None:
        return f"{account.project_id} {account.user_id} {properties['at']}"


class Net(resource.Resource):
    """A resource that another type has too."""

    type_name = "T::Net"


class Vpc(resource.Resource):
    """The same physical resource."""

    type_name = "T::Vpc"

    @property
    def listed_as(self) -> str:
        return Net.type_name


class Types:
    def find(self, type_name: str) -> resource.Resource | None:
        for kind in (Scoped, Net, Vpc):
            if kind.type_name == type_name:
                return kind(None)
        return None


class ClaimScopesTest(base.TestCase):
    def store(self, number: int, type_name: str) -> ownership.PhysicalKey:
        stack = base.make_stack(user_id=f"user {number}")
        row = base.make_resource(
            stack_id=stack.id,
            physical_id=f"{number}",
            type_name=type_name,
            properties={"at": number},
        )
        with self.database.write() as conn:
            stacks.insert(conn, stack)
            resources.save_many(conn, [row])
        text = f"demo user {number} {number}"
        scope = hashlib.sha256(text.encode()).hexdigest()
        return ownership.PhysicalKey(type_name, f"{number}", scope)

    def test_many_take_two_statements(self) -> None:
        keys = [self.store(number, Scoped.type_name) for number in range(9)]
        elsewhere = keys[0]._replace(id_scope="elsewhere")

        with (
            self.database.read() as conn,
            statements.counted(conn) as count,
        ):
            found = claims.find_owners(conn, Types(), [*keys, elsewhere])

        self.assertEqual(2, count.value)
        self.assertEqual(
            {key: [key.id_scope] for key in keys},
            {
                key: [each.id_scope for each in owners]
                for key, owners in found.items()
            },
        )

    def test_ids_that_are_unique_take_one(self) -> None:
        key = self.store(1, "T::Other")._replace(id_scope=None)

        with (
            self.database.read() as conn,
            statements.counted(conn) as count,
        ):
            found = claims.find_owners(conn, Types(), [key])

        self.assertEqual(1, count.value)
        self.assertEqual(id_scopes.EVERYWHERE, found[key][0].id_scope)

    def test_types_of_the_same_physical_resources_count_as_one(self) -> None:
        vpc = self.store(1, Vpc.type_name)._replace(id_scope=None)
        net = self.store(2, Net.type_name)._replace(id_scope=None)
        asked = (
            vpc._replace(type_name=Net.type_name),
            net._replace(type_name=Vpc.type_name),
            net._replace(type_name="T::Other"),
        )

        with self.database.read() as conn:
            found = claims.find_owners(conn, Types(), asked)

        self.assertEqual(
            {asked[0]: [Vpc.type_name], asked[1]: [Net.type_name]},
            {
                key: [each.type_name for each in owners]
                for key, owners in found.items()
            },
        )
