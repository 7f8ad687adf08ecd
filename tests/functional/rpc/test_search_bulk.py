"""Documents of many stacks, and of large ones."""

import sqlalchemy as sa

from orch import errors
from orch import ids
from orch.engine.search_documents import loader
from orch.engine.search_documents import reader
from orch.model import states
from orch.rpc import contract
from tests.functional.rpc import searchable
from tests.unit.engine import fakes


class BulkTest(searchable.TestCase):
    def test_s4_stacks_of_all_projects_need_no_token(self) -> None:
        first = self.make()
        second = self.create(searchable.TEXT, ctxt=self.eve)

        found = self.documents.read(searchable.SERVICE, [first, second])

        self.assertEqual(
            ["demo", "other"],
            [each["documents"][0]["project_id"] for each in found],
        )

    def test_a_stack_that_is_gone_has_no_documents(self) -> None:
        stack_id = self.make()
        self.put_resource(stack_id, "web")
        self.put_event(stack_id, 9)
        self.set_stack(stack_id, deleted_at=fakes.NOW)
        never = ids.new()

        gone, unknown = self.documents.read(
            searchable.SERVICE, [stack_id, never]
        )

        self.assertEqual(([], 9), (gone["documents"], gone["version"]))
        self.assertEqual(([], 0), (unknown["documents"], unknown["version"]))
        self.assertEqual(never, unknown["stack_id"])
        self.assertEqual(
            [], self.documents.list_stacks(searchable.SERVICE, "", 10)
        )

    def test_the_version_is_the_number_of_the_newest_event(self) -> None:
        stack_id = self.make()
        before = self.read(stack_id)
        self.put_event(stack_id, before["version"] + 5)

        after = self.read(stack_id)

        self.assertEqual(before["version"] + 5, after["version"])
        self.assertGreaterEqual(after["read_at"], before["read_at"])

    def test_one_that_cannot_be_read_is_not_in_the_way_of_others(
        self,
    ) -> None:
        good, bad = self.make(), self.make(name="bad")
        self.put_resource(bad, "web")
        with self.database.engine.begin() as connection:
            connection.execute(
                sa.text(
                    "UPDATE resources SET properties = '{' WHERE stack_id = :i"
                ),
                {"i": bad},
            )

        found = self.documents.read(searchable.SERVICE, [bad, good])

        self.assertEqual([good], [each["stack_id"] for each in found])

    def test_too_many_are_refused(self) -> None:
        wanted = [ids.new() for _ in range(21)]

        error = self.assertRaises(
            errors.Invalid, self.documents.read, searchable.SERVICE, wanted
        )

        self.assertIn("20", str(error))
        self.assertRaises(
            errors.Invalid,
            self.documents.list_stacks,
            searchable.SERVICE,
            "",
            0,
        )

    def test_the_number_of_statements_does_not_grow(self) -> None:
        statements: list[str] = []
        sa.event.listen(
            self.database.engine,
            "before_cursor_execute",
            lambda conn, cursor, statement, *rest: statements.append(
                statement
            ),
        )
        wanted = []
        for number in range(12):
            stack_id = self.make(name=f"app-{number}")
            for name in ("a", "b", "c"):
                self.put_resource(stack_id, name)
            wanted.append(stack_id)

        def cost(some: list[ids.StackId]) -> int:
            before = len(statements)
            found = self.documents.read(searchable.SERVICE, some)
            self.assertEqual(
                [4] * len(some), [len(each["documents"]) for each in found]
            )
            return len(statements) - before

        self.start()
        one = cost(wanted[:1])

        self.assertEqual(one, cost(wanted))
        # One of them for what is hidden: ids may be made of it.
        self.assertLessEqual(one, 16)


class PagesTest(searchable.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.set_("PAGE", 4)
        self.set_("MOST_ROWS", 6)

    def set_(self, name: str, value: int) -> None:
        before = getattr(loader, name)
        self.addCleanup(setattr, loader, name, before)
        setattr(loader, name, value)

    def rest(
        self, found: contract.StackDocumentsFacts
    ) -> tuple[list[str], list[int]]:
        """Return the names of all resources, and how many came at a time."""
        pages = [
            [e["name"] for e in found["documents"] if e["kind"] == "resource"]
        ]
        following = found["next"]
        while following is not None:
            page = self.documents.resources(
                searchable.SERVICE, found["stack_id"], following
            )
            self.assertEqual(found["version"], page["version"])
            pages.append([each["name"] for each in page["documents"]])
            following = page["next"]
        return [name for page in pages for name in page], list(map(len, pages))

    def test_s2_the_resources_of_a_large_stack_come_in_pages(self) -> None:
        stack_id = self.make()
        names = [f"r{number:02d}" for number in range(11)]
        for name in names:
            self.put_resource(stack_id, name)

        found, sizes = self.rest(self.read(stack_id))

        self.assertEqual(names, found)
        self.assertGreater(len(sizes), 2)
        self.assertLessEqual(max(sizes), 4)

    def test_all_incarnations_of_a_name_come_together(self) -> None:
        stack_id = self.make()
        for name in ("a", "b", "c"):
            self.put_resource(stack_id, name)
        new = ids.ResourceId(ids.new())
        old = self.put_resource(stack_id, "d", replaced_by=new)
        self.put_resource(
            stack_id,
            "d",
            id=new,
            action=states.Action.INIT,
            created_at=fakes.NOW + 1,
        )
        self.put_resource(stack_id, "e")

        first = self.read(stack_id)
        found, _ = self.rest(first)

        self.assertEqual(["a", "b", "c", "d", "e"], found)
        page = self.documents.resources(searchable.SERVICE, stack_id, "c")
        self.assertEqual(f"resource/{old.id}", page["documents"][0]["id"])

    def test_many_stacks_share_the_room(self) -> None:
        wanted = sorted(self.make(name=f"app-{n}") for n in range(4))
        for stack_id in wanted:
            for name in ("a", "b", "c"):
                self.put_resource(stack_id, name)

        found = self.documents.read(searchable.SERVICE, wanted)

        for each in found:
            self.assertEqual("stack", each["documents"][0]["kind"])
            self.assertEqual(["a", "b", "c"], self.rest(each)[0])
        self.assertEqual("", found[-1]["next"])

    def test_a_name_that_is_cut_in_two_comes_with_the_rest(self) -> None:
        first, second, third = sorted(
            self.make(name=f"app-{number}") for number in range(3)
        )
        for stack_id in (first, second):
            for name in ("a", "b"):
                self.put_resource(stack_id, name)
        self.put_resource(second, "c")
        new = ids.ResourceId(ids.new())
        old = self.put_resource(third, "d", replaced_by=new)
        self.put_resource(
            third,
            "d",
            id=new,
            action=states.Action.INIT,
            created_at=fakes.NOW + 1,
        )

        found = self.documents.read(searchable.SERVICE, [first, second, third])

        self.assertEqual(["d"], self.rest(found[-1])[0])
        page = self.documents.resources(searchable.SERVICE, third, "")
        self.assertEqual(f"resource/{old.id}", page["documents"][0]["id"])

    def test_a_page_has_an_end_in_characters_too(self) -> None:
        wanted = sorted(self.make(name=f"app-{n}") for n in range(2))
        for stack_id in wanted:
            for name in ("a", "b", "c"):
                self.put_resource(
                    stack_id, name, attributes={"address": "x" * 900}
                )

        for where, name in (
            (loader, "MOST_CHARACTERS"),
            (reader, "MOST_BYTES"),
        ):
            before = getattr(where, name)
            setattr(where, name, 1000)
            try:
                for each in self.documents.read(searchable.SERVICE, wanted):
                    names, sizes = self.rest(each)
                    self.assertEqual(["a", "b", "c"], names, name)
                    self.assertEqual(1, max(sizes), name)
            finally:
                setattr(where, name, before)

    def test_what_one_resource_has_is_no_end_in_itself(self) -> None:
        before = loader.MOST_CHARACTERS
        self.addCleanup(setattr, loader, "MOST_CHARACTERS", before)
        setattr(loader, "MOST_CHARACTERS", 10)  # noqa: B010
        stack_id = self.make()
        self.put_resource(stack_id, "a", attributes={"address": "x" * 900})

        self.assertEqual((["a"], [1]), self.rest(self.read(stack_id)))

    def test_a_stack_that_went_meanwhile_has_no_rest(self) -> None:
        stack_id = self.make()
        self.set_stack(stack_id, deleted_at=fakes.NOW)

        page = self.documents.resources(searchable.SERVICE, stack_id, "a")

        self.assertEqual(([], None), (page["documents"], page["next"]))
