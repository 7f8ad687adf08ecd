"""What an operation knows of its rows before anything of it begins."""

import dataclasses

from orch import ids
from orch.db.repositories import resources
from orch.flow.state import store
from orch.model import states
from orch.planner import plan
from tests import base
from tests.support import flows


class ReturnTest(base.TestCase):
    def test_what_took_its_place_may_be_gone_already(self) -> None:
        found = self.useFixture(flows.Flows())
        parsed_template = flows.Template(a="")
        found.run(parsed_template)
        gone = ids.ResourceId(ids.new())
        older = dataclasses.replace(found.row("a"), replaced_by=gone)
        found.database.run(
            lambda connection: resources.save_many(connection, [older])
        )
        kept, _ = found.load(
            found.claim(found.accept(states.Action.UPDATE)), parsed_template
        )

        kept.adopt(plan.Plan((), returns=(plan.Return("a", older.id, gone),)))
        kept.flush()

        self.assertEqual(older.id, kept.rows.current("a").id)
        self.assertIsNone(
            {row.id: row.replaced_by for row in found.rows()}[older.id]
        )


class SuccessorTest(base.TestCase):
    def test_it_is_the_same_physical_resource(self) -> None:
        found = self.useFixture(flows.Flows())
        parsed_template = flows.Template(a="")
        found.run(parsed_template)
        current = found.row("a")
        assert current.physical_id is not None
        older = dataclasses.replace(
            current, id=ids.ResourceId(ids.new()), replaced_by=current.id
        )
        others = [
            dataclasses.replace(older, id=ids.ResourceId(ids.new()), **changed)
            for changed in ({"physical_id": "other"}, {"physical_id": None})
        ]
        found.database.run(
            lambda connection: resources.save_many(
                connection, [older, *others]
            )
        )
        kept, _ = found.load(
            found.claim(found.accept(states.Action.UPDATE)), parsed_template
        )

        self.assertEqual(current.properties, kept.context(older)[1].successor)
        for each in (current, *others):
            self.assertIsNone(kept.context(each)[1].successor)


class RedactionTest(base.TestCase):
    def test_it_is_given_what_is_not_written_yet(self) -> None:
        found = self.useFixture(flows.Flows())
        given: list[dict[str, object]] = []

        def redact(text: str, rows: store.Rows) -> str:
            given.extend(dict(each.data) for each in rows)
            return text.replace("made", "******")

        kept, _ = found.load(
            found.claim(found.accept(states.Action.CREATE)),
            flows.Template(a=""),
            redact,
        )
        kept.put(kept.rows.current("a").id, data={"value": "made"})

        self.assertEqual("no ******", kept.redact("no made"))
        self.assertEqual([{"value": "made"}], given)
