"""What adoption was asked for: the uses that its first proposal names."""

import typing

from tests.functional import adopting
from tests.functional import databases
from tests.support import installations
from tests.support import keystone
from tests.support import rest
from tests.support import running
from tests.support import waiting

Json = adopting.Json
declare_resource = adopting.declare_resource
template = adopting.template

_STACKS = 4


class UsesTests(adopting.AdoptingTestCase):
    """Three reasons to move stacks."""

    limit_s = 240

    def test_use_a_from_a_private_to_a_public_installation(self) -> None:
        """Another installation, and another project."""
        document = self.abandon(self.created(self.chain()))
        address = self.pair.there.endpoint.replace("demo", "public")
        public = rest.Client(address)
        self.addCleanup(public.close)

        adopted = self.begin_adopt(document, public)
        public.wait(adopted, "ADOPT_COMPLETE")

        shown = self.ask(public, "GET", f"{adopted.path}/export")
        self.assertEqual("public", shown["project_id"])
        self.assertEqual(["a", "b", "c"], self.existing_names())
        public.delete(adopted)
        public.wait(adopted, "DELETE_COMPLETE")
        self.assertEqual([], self.existing_names())

    def test_use_b_stacks_are_moved_and_gone_on_with(self) -> None:
        """Whoever moves them may stop at any point, and begin again."""
        names = [f"{self.name}-{number}" for number in range(_STACKS)]
        stacks = []
        for name in names:
            stacks.append(
                self.here.create(name, template(a=declare_resource()))
            )
            self.here.wait(stacks[-1], "CREATE_COMPLETE")
        # The answer of this one got lost.
        self.abandon(stacks[0])
        # Of this one nobody knows whether it was accepted.
        self.move(stacks[1])

        for stack in stacks:
            self.move(stack)

        for stack in stacks:
            (made,) = self.world.physical_resources(stack.name)
            adopted = self.find(stack.name)
            assert adopted is not None
            self.assertEqual({"a": made.id}, self.ids(self.there, adopted))

    def move(self, stack: rest.Stack) -> None:
        document = self.abandon(stack)
        self.here.wait(stack, "DELETE_COMPLETE")
        adopted = self.find(stack.name)
        if adopted is None:
            adopted = self.begin_adopt(document, stack_name=stack.name)
        self.there.wait(adopted, "ADOPT_COMPLETE")

    def find(self, name: str) -> rest.Stack | None:
        listed = self.ask(self.there, "GET", f"/stacks?name={name}")
        for each in typing.cast(list[Json], listed["stacks"]):
            return rest.Stack(name, str(each["id"]))
        return None


class GuardedTests(adopting.AdoptingTestCase):
    """From one process that asks nobody to one that asks Keystone."""

    limit_s = 240

    def test_use_a_from_nobody_asked_to_a_keystone(self) -> None:
        """Other authentication, other project, and a credential there."""
        guard = keystone.shared()
        guard.remove_trusts()
        there = self.useFixture(
            running.Embedded(
                {
                    **guard.options(),
                    "engine": installations.OPTIONS["engine"],
                    "credentials": {"clean_up_interval": 0.3},
                },
                self.world.environment,
            )
        ).system
        document = self.abandon(self.created(self.chain()))
        project = guard.projects["demo"]
        address = there.endpoint.replace("demo", project)
        nobody = rest.Client(address)
        public = rest.Client(address, token=guard.token("member"))
        self.addCleanup(nobody.close)
        self.addCleanup(public.close)

        error = self.assertRaises(
            rest.RefusedError, self.begin_adopt, document, nobody
        )
        self.assertEqual(401, error.status)
        adopted = self.begin_adopt(document, public)
        public.wait(adopted, "ADOPT_COMPLETE")

        shown = self.ask(public, "GET", f"{adopted.path}/export")
        self.assertEqual(project, shown["project_id"])
        self.assertEqual(1, len(guard.trusts()))
        self.assertEqual(["a", "b", "c"], self.existing_names())
        public.delete(adopted)
        public.wait(adopted, "DELETE_COMPLETE")
        self.assertEqual([], self.existing_names())
        waiting.wait_for(lambda: not guard.trusts(), "the end of the trust")


class DrainedTests(adopting.AdoptingTestCase):
    """From one process on SQLite to workers on another database."""

    limit_s = 240

    def drain(self, database: type[databases.PostgreSQL]) -> None:
        there = self.useFixture(
            running.Distributed(
                installations.OPTIONS | installations.SWITCHED_ON,
                self.world.environment,
                database=database,
            )
        ).system.client
        stack = self.created(self.chain("l"))
        ids, outputs = self.ids(self.here, stack), self.here.outputs(stack)

        adopted = self.begin_adopt(self.abandon(stack), there)
        there.wait(adopted, "ADOPT_COMPLETE")

        self.assertEqual(ids, self.ids(there, adopted))
        self.assertEqual(outputs, there.outputs(adopted))
        back = self.ask(there, "DELETE", f"{adopted.path}/abandon")
        there.wait(adopted, "DELETE_COMPLETE")
        again = self.begin_adopt(back, there)
        there.wait(again, "ADOPT_COMPLETE")
        there.delete(again)
        there.wait(again, "DELETE_COMPLETE")
        self.assertEqual([], self.existing_names())

    def test_use_c_into_workers_on_postgresql(self) -> None:
        self.drain(databases.PostgreSQL)

    def test_use_c_into_workers_on_mariadb(self) -> None:
        self.drain(databases.MariaDB)
