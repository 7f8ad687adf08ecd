"""Golden plans: a template and what stands in, the text of the plan out."""

import dataclasses
import itertools
import textwrap
import uuid

from oslo_config import cfg

from orch import clock
from orch import ids
from orch.context import request
from orch.engine.execution import planning
from orch.model import resource
from orch.model import states
from orch.planner import builder
from orch.planner import draft
from orch.planner import plan
from orch.plugin import registry
from orch.plugin import resource as plugin_resource
from orch.plugin import schema
from orch.template import inputs
from orch.template import template
from orch.template import world
from tests import base
from tests.support import nouns

NOW = clock.Timestamp(0.0)
_STAYS = "its creation failed: stays if it is usable by now, else is replaced"
STACK = ids.StackId("s")


class SampleResource(plugin_resource.Resource):
    """``size`` is changed in place, ``kind`` is not, ``on`` may be both."""

    type_name = "A::Thing"
    properties = (
        schema.Property(
            "size", schema.Type.ANY, on_update=schema.OnUpdate.MODIFY
        ),
        schema.Property("kind", schema.Type.STRING),
        schema.Property(
            "on", schema.Type.STRING, on_update=schema.OnUpdate.MODIFY
        ),
        schema.Property("in", schema.Type.STRING),
    )
    attributes = (schema.Attribute("size"),)


class Other(SampleResource):
    """The same by another name."""

    type_name = "A::Other"


class Renewed(SampleResource):
    """Replaced by every update."""

    type_name = "A::Renewed"
    is_new_each_update = True


class Listener(SampleResource):
    """Waits for the signals of another one."""

    type_name = "A::Listener"
    listens_to = "on"


class _World(world.EmptyWorld):
    """Ids and attributes of rows that stand."""

    def __init__(self, rows: dict[str, resource.Resource]) -> None:
        self._rows = rows

    def reference_id(self, name: str) -> object:
        return self._rows[name].physical_id

    def attribute(self, name: str, attribute: str) -> object:
        return self._rows[name].attributes[attribute]


def declare_resource(
    *needed: str, type_: str = "A::Thing", **given: object
) -> object:
    return {"type": type_, "depends_on": list(needed), "properties": given}


def ref(name: str) -> dict[str, object]:
    return {"get_resource": name}


def attribute(name: str) -> dict[str, object]:
    return {"get_attr": [name, "size"]}


class GoldenPlanTests(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.types = registry.ResourceTypes.of(
            [SampleResource, Other, Renewed, Listener], cfg.ConfigOpts()
        )
        self.restricted: dict[str, tuple[str, ...]] = {}

    def load(self, things: dict[str, object]) -> template.Template:
        return template.Template.load(
            inputs.Inputs(
                template={
                    "heat_template_version": "2021-04-16",
                    "resources": things,
                }
            ),
            self.types,
            inputs.Identity(STACK, "web", "p"),
            inputs.Limits(),
        )

    def stand(self, **things: object) -> list[resource.Resource]:
        """Return the rows of a stack that is complete."""
        parsed_template = self.load(things)
        rows: dict[str, resource.Resource] = {}
        left = dict(parsed_template.resources)
        while left:
            for name, declared in list(left.items()):
                if any(each in left for each in declared.requires):
                    continue
                del left[name]
                values = parsed_template.resolve_properties(name, _World(rows))
                rows[name] = resource.Resource(
                    id=ids.ResourceId(
                        str(uuid.uuid5(uuid.NAMESPACE_OID, name))
                    ),
                    stack_id=STACK,
                    name=name,
                    type_name=declared.type_name,
                    action=states.Action.CREATE,
                    status=states.Status.COMPLETE,
                    physical_id=f"{name}-1",
                    requires=declared.requires,
                    properties=values,
                    attributes={"size": values["size"]},
                    created_at=NOW,
                    updated_at=NOW,
                )
        return list(rows.values())

    def planned(
        self,
        rows: list[resource.Resource],
        operation_id: ids.OperationId | None = None,
        **things: object,
    ) -> plan.Plan:
        parsed_template = self.load(things)
        numbers = itertools.count()
        stack = nouns.make_stack(id=STACK, action=states.Action.UPDATE)
        return builder.build_plan(
            draft.Situation(
                action=states.Action.UPDATE,
                desired={
                    name: dataclasses.replace(
                        declared,
                        restricted_actions=self.restricted.get(name, ()),
                    )
                    for name, declared in parsed_template.resources.items()
                },
                existing=rows,
                operation_id=operation_id,
                known=planning.PlannerKnowledge(
                    parsed_template,
                    self.types,
                    stack,
                    request.RequestContext(),
                ),
                shows_all=True,
                new_id=lambda: f"new-{next(numbers)}",
            )
        )

    def check(self, text: str, found: plan.Plan) -> None:
        lines = [line.rstrip() for line in found.describe().splitlines()]
        self.assertEqual(textwrap.dedent(text).strip().splitlines(), lines)

    def test_nothing_to_do(self) -> None:
        things = {
            "a": declare_resource(size=1),
            "b": declare_resource(on=ref("a")),
        }

        found = self.planned(self.stand(**things), **things)

        self.check("", found)
        self.assertEqual(("a", "b"), found.unchanged)

    def test_in_place(self) -> None:
        rows = self.stand(
            a=declare_resource(size=1), b=declare_resource(on=ref("a"))
        )

        found = self.planned(
            rows, a=declare_resource(size=2), b=declare_resource(on=ref("a"))
        )

        self.check("update a (size changed)", found)
        difference = found.differences["a"]
        self.assertEqual(1, difference.before["size"])
        self.assertEqual(2, difference.after["size"])
        self.assertEqual(("size",), difference.changed)

    def test_what_must_not_change_is_planned_to_be_refused(self) -> None:
        rows = self.stand(
            a=declare_resource(size=1),
            b=declare_resource(kind="x"),
            c=declare_resource(),
            d=declare_resource(kind="x"),
        )
        self.restricted = {
            "a": ("update",),
            "b": ("replace",),
            "c": ("replace",),
            "d": ("update",),
        }

        found = self.planned(
            rows,
            a=declare_resource(size=2),
            b=declare_resource(kind="y"),
            c=declare_resource(type_="A::Other"),
            d=declare_resource(kind="y"),
        )

        refused = {
            each.name: each.restricted
            for each in found.changes
            if each.kind is plan.Kind.UPDATE
        }
        self.assertEqual(
            {"a": ("update",), "b": ("replace",), "c": ("replace",)}, refused
        )
        self.assertIn(
            "create d (kind cannot be changed in place)", found.describe()
        )

    def test_what_only_the_run_can_tell_takes_all_that_is_forbidden(
        self,
    ) -> None:
        rows = self.stand(
            a=declare_resource(kind="x"), b=declare_resource(on=ref("a"))
        )
        self.restricted = {"b": ("update", "replace")}

        found = self.planned(
            rows, a=declare_resource(kind="y"), b=declare_resource(on=ref("a"))
        )

        (change,) = (
            each for each in found.changes if each.kind is plan.Kind.UPDATE
        )
        self.assertEqual(("update", "replace"), change.restricted)

    def test_a_replacement_with_dependents(self) -> None:
        rows = self.stand(
            a=declare_resource(kind="x"),
            b=declare_resource(on=ref("a")),
            c=declare_resource(**{"in": ref("a")}),
        )

        found = self.planned(
            rows,
            a=declare_resource(kind="y"),
            b=declare_resource(on=ref("a")),
            c=declare_resource(**{"in": ref("a")}),
        )

        self.check(
            """
            create a (kind cannot be changed in place)
            perhaps update b (on may change) after create a
            perhaps update c (in may change) after create a
            clean-up  (all else is complete) after create a, update b, update c
            perhaps delete b (if it is replaced) after clean-up
            perhaps delete c (if it is replaced) after clean-up
            delete a (is replaced) after delete b, delete c, clean-up
            """,
            found,
        )

    def test_what_every_update_replaces(self) -> None:
        things = {
            "a": declare_resource(type_="A::Renewed"),
            "b": declare_resource(**{"in": ref("a")}),
        }
        rows = [
            dataclasses.replace(row, operation_id=ids.OperationId("earlier"))
            for row in self.stand(**things)
        ]
        replaced = """
            create a (is new with each update)
            perhaps update b (in may change) after create a
            clean-up  (all else is complete) after create a, update b
            perhaps delete b (if it is replaced) after clean-up
            delete a (is replaced) after delete b, clean-up
            """

        self.check(replaced, self.planned(rows, **things))
        # Of what this very operation has made nothing is made again.
        this_one = ids.OperationId("op")
        made = [
            dataclasses.replace(row, operation_id=this_one) for row in rows
        ]
        self.check("", self.planned(made, operation_id=this_one, **things))
        self.check(replaced, self.planned(made, **things))

    def test_what_is_begun_and_wanted_otherwise_is_overtaken(self) -> None:
        a, b = self.stand(
            a=declare_resource(size=1), b=declare_resource(size=1)
        )
        rows = [
            dataclasses.replace(each, status=states.Status.IN_PROGRESS)
            for each in (a, b)
        ]

        found = self.planned(
            rows, a=declare_resource(size=1), b=declare_resource(size=2)
        )

        self.assertEqual(frozenset({b.id}), plan.find_overtaken(found))

    def test_what_waits_for_signals_goes_on_with_what_is_wanted(self) -> None:
        things = {
            "a": declare_resource(),
            "b": declare_resource(type_="A::Listener", size=1),
        }
        a, b = self.stand(**things)
        begun = dataclasses.replace(b, status=states.Status.IN_PROGRESS)
        things["b"] = declare_resource(type_="A::Listener", size=2)

        found = self.planned([a, begun], **things)

        (change,) = found.changes
        self.assertEqual(
            (plan.Kind.CREATE, "b", False),
            (change.kind, change.name, change.preserves_properties),
        )

    def test_an_attribute_that_may_change(self) -> None:
        rows = self.stand(
            a=declare_resource(size=1), b=declare_resource(size=attribute("a"))
        )

        found = self.planned(
            rows,
            a=declare_resource(size=2),
            b=declare_resource(size=attribute("a")),
        )

        self.check(
            """
            update a (size changed)
            perhaps update b (size may change) after update a
            clean-up  (all else is complete) after update a, update b
            perhaps delete b (if it is replaced) after clean-up
            """,
            found,
        )

    def test_dependencies_the_other_way_round(self) -> None:
        rows = self.stand(
            a=declare_resource(), b=declare_resource(on=ref("a"))
        )

        found = self.planned(
            rows, b=declare_resource(), a=declare_resource(on=ref("b"))
        )

        self.check(
            """
            update b (on changed)
            update a (on changed) after update b
            """,
            found,
        )

    def test_another_type(self) -> None:
        rows = self.stand(a=declare_resource())

        found = self.planned(rows, a=declare_resource(type_="A::Other"))

        self.check(
            """
            create a (is of another type now)
            clean-up  (all else is complete) after create a
            delete a (is replaced) after clean-up
            """,
            found,
        )

    def test_another_name(self) -> None:
        rows = self.stand(
            old=declare_resource(size=1), b=declare_resource(on=ref("old"))
        )

        found = self.planned(
            rows,
            new=declare_resource(size=1),
            b=declare_resource(on=ref("new")),
        )

        self.check(
            """
            create new (is not there yet)
            perhaps update b (on may change) after create new
            clean-up  (all else is complete) after create new, update b
            perhaps delete b (if it is replaced) after clean-up
            delete old (is not wanted) after delete b, clean-up
            """,
            found,
        )

    def test_a_removal_against_the_dependencies(self) -> None:
        rows = self.stand(
            a=declare_resource(),
            b=declare_resource("a"),
            c=declare_resource("b"),
        )

        found = self.planned(rows, a=declare_resource())

        self.check(
            """
            delete c (is not wanted)
            delete b (is not wanted) after delete c
            """,
            found,
        )

    def test_back_to_what_still_stands(self) -> None:
        (old,) = self.stand(a=declare_resource(size=1))
        new = self.row_like(old, "new", {**old.properties, "size": 2})
        rows = [self.row_like(old, None, old.properties, "new"), new]

        found = self.planned(
            [rows[0], self.failed(rows[1])], a=declare_resource(size=1)
        )

        self.check(
            """
            return a
            delete a (is replaced)
            """,
            found,
        )

    def test_remains_of_a_failure(self) -> None:
        (row,) = self.stand(a=declare_resource(size=1))

        found = self.planned(
            [self.failed(row)],
            a=declare_resource(size=1),
            b=declare_resource(on=ref("a")),
        )

        self.check(
            f"""
            perhaps create a ({_STAYS})
            create b (is not there yet) after create a
            """,
            found,
        )

    def test_remains_that_are_to_be_changed(self) -> None:
        (row,) = self.stand(a=declare_resource(size=1))

        found = self.planned(
            [self.failed(row)],
            a=declare_resource(size=2),
            b=declare_resource(on=ref("a")),
        )

        self.check(
            f"""
            perhaps create a ({_STAYS})
            update a (create did not complete) after create a
            create b (is not there yet) after update a
            """,
            found,
        )

    def test_remains_that_cannot_be_changed(self) -> None:
        (row,) = self.stand(a=declare_resource(kind="x"))

        found = self.planned(
            [self.failed(row)],
            a=declare_resource(kind="y"),
            b=declare_resource(on=ref("a")),
        )

        self.check(
            """
            delete a (kind cannot be changed in place)
            create a (kind cannot be changed in place) after delete a
            create b (is not there yet) after create a
            """,
            found,
        )

    def test_remains_of_what_only_waits(self) -> None:
        (row,) = self.stand(a=declare_resource(type_="A::Listener"))

        found = self.planned(
            [self.failed(row)], a=declare_resource(type_="A::Listener")
        )

        self.check("create a (was begun)", found)

    @staticmethod
    def row_like(
        row: resource.Resource,
        row_id: str | None,
        properties: object,
        replaced_by: str | None = None,
    ) -> resource.Resource:
        return dataclasses.replace(
            row,
            id=row_id or row.id,
            properties=properties,
            replaced_by=replaced_by,
        )

    @staticmethod
    def failed(row: resource.Resource) -> resource.Resource:
        return dataclasses.replace(row, status=states.Status.FAILED)
