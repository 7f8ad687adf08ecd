"""Documents that whoever asks has already are not sent again."""

import fixtures

from orch import ids
from orch.db.models import stacks
from orch.db.repositories import observations
from orch.db.repositories import stacks as stored_stacks
from orch.engine.search_documents import builder
from orch.engine.search_documents import loader
from orch.model import observation
from orch.rpc import contract
from tests.functional.rpc import searchable
from tests.unit.engine import fakes

_PLAIN = """
heat_template_version: 2018-08-31
resources:
  a: {type: Test::Server}
  b: {type: Test::Server, description: Before}
  c: {type: Test::Server}
outputs:
  first: {value: {get_attr: [a, address]}}
"""


class UnchangedTest(searchable.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.stack_id = self.make(_PLAIN)
        self.rows = {
            name: self.put_resource(
                self.stack_id, name, attributes={"address": f"10.0.0.{name}"}
            )
            for name in "abc"
        }
        self.first = self.read(self.stack_id)

    def again(
        self, first: contract.StackDocumentsFacts | None = None
    ) -> contract.StackDocumentsFacts:
        """Return what is read by who has had the first answer."""
        digests = [each for each in (first or self.first)["digests"] if each]
        (found,) = self.documents.read(
            searchable.SERVICE, [self.stack_id], {self.stack_id: digests}
        )
        return found

    def names(self, found: contract.StackDocumentsFacts) -> str:
        return " ".join(each["name"] for each in found["documents"])

    def change(self, name: str, **values: object) -> None:
        """Write a row past the repositories, which would set its moment."""
        with self.database.write() as connection:
            connection.execute(
                stacks.RESOURCES.update()
                .where(stacks.RESOURCES.c.id == self.rows[name].id)
                .values(**values)
            )

    def test_each_document_has_a_digest_but_the_one_of_the_stack(self) -> None:
        stack, *others = self.first["digests"]

        self.assertEqual("", stack)
        self.assertEqual(3, len(set(others)))
        self.assertEqual([], self.first["unchanged"])
        self.assertEqual(
            self.first["digests"], self.read(self.stack_id)["digests"]
        )

    def test_what_has_not_changed_is_not_sent(self) -> None:
        found = self.again()

        self.assertEqual("app", self.names(found))
        self.assertEqual(self.first["digests"][1:], found["unchanged"])
        self.assertEqual(self.first["documents"][0], found["documents"][0])

    def test_anything_that_a_document_shows_is_a_change(self) -> None:
        for column, value in (
            ("status_reason", "why"),
            ("physical_id", "other"),
            ("external_id", "x"),
            ("properties", {"flavor": "big"}),
            ("attributes", {"address": "10.9.9.9"}),
            ("requires", ["a"]),
            ("deletion_policy", "Retain"),
            ("updated_at", 17.0),
            ("mapped_type", "x.yaml"),
            ("adopted_by", ids.new()),
        ):
            before = self.read(self.stack_id)
            self.change("b", **{column: value})

            found = self.again(before)

            self.assertEqual("app b", self.names(found), column)
            self.assertEqual(2, len(found["unchanged"]), column)
            self.assertEqual(
                self.read(self.stack_id)["documents"][2],
                found["documents"][1],
            )

    def test_what_is_gone_is_neither_sent_nor_unchanged(self) -> None:
        self.change("b", action="DELETE", status="COMPLETE")

        found = self.again()

        self.assertEqual("app", self.names(found))
        self.assertEqual(
            [self.first["digests"][1], self.first["digests"][3]],
            found["unchanged"],
        )

    def test_what_holds_for_a_stack_is_a_change_of_each_resource(self) -> None:
        with self.database.write() as connection:
            stored_stacks.update(connection, self.stack_id, tags=("red",))

        self.assertEqual("app a b c", self.names(self.again()))

    def test_what_was_observed_is_a_change(self) -> None:
        before = self.again()
        seen = observation.Observation(
            root_id=self.stack_id,
            stack_id=self.stack_id,
            resource_id=self.rows["c"].id,
            state=observation.State.IN_SYNC,
            observed_at=fakes.NOW + 1,
        )
        with self.database.write() as connection:
            observations.save_many(connection, [seen])

        found = self.again()

        self.assertEqual("app", self.names(before))
        self.assertEqual("app c", self.names(found))
        self.assertEqual("in_sync", found["documents"][1]["drift"])

    def test_outputs_are_of_resources_that_have_not_changed_too(self) -> None:
        self.change("c", physical_id="other")

        found = self.again()

        self.assertEqual("app c", self.names(found))
        self.assertEqual(
            ["10.0.0.a"], found["documents"][0]["fields"]["outputs.first"]
        )

    def test_pages_leave_out_what_has_not_changed(self) -> None:
        self.useFixture(fixtures.MonkeyPatch(f"{loader.__name__}.PAGE", 1))
        first = self.documents.resources(
            searchable.SERVICE, self.stack_id, "a"
        )
        self.change("c", physical_id="other")
        known = [*self.first["digests"], *first["digests"]]

        names: list[str] = []
        unchanged: list[str] = []
        following: str | None = "a"
        while following is not None:
            page = self.documents.resources(
                searchable.SERVICE, self.stack_id, following, known
            )
            names += [each["name"] for each in page["documents"]]
            unchanged += page["unchanged"]
            following = page["next"]

        self.assertEqual(["c"], names)
        self.assertEqual([self.first["digests"][2]], unchanged)

    def test_digests_of_workers_without_a_shared_key_differ(self) -> None:
        self.useFixture(
            fixtures.MonkeyPatch(f"{builder.__name__}._OWN_KEY", b"other")
        )

        self.assertEqual("app a b c", self.names(self.again()))
        self.assertEqual(
            set(), {*self.first["digests"][1:]} & {*self.again()["digests"]}
        )

    def test_each_stack_is_found_by_the_text_that_is_its_own(self) -> None:
        for remark in ("first", "second"):
            stack_id = self.make(f"# The {remark}{_PLAIN}", remark)
            text = self.stack_of(stack_id)["texts"]["template"]
            self.assertIn(f"# The {remark}", text)
