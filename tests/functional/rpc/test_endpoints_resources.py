import dataclasses
import math
import time

from orch import errors
from orch import ids
from orch.db.repositories import resources
from orch.model import states
from orch.plugin import registry
from tests.functional.rpc import worker
from tests.unit.engine import fakes

TEMPLATE = {
    "heat_template_version": "2018-08-31",
    "resources": {
        "db": {"type": "Test::Server", "description": "The database."},
        "web": {"type": "Test::Server", "depends_on": "db"},
        "app": {"type": "Test::Value", "depends_on": ["db", "web"]},
    },
}


class ResourcesTest(worker.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.stack_id = self.create(TEMPLATE)

    def put_all(self) -> None:
        self.put_resource(self.stack_id, "db")
        self.put_resource(self.stack_id, "web", requires=("db",))
        self.put_resource(
            self.stack_id,
            "app",
            requires=("db", "web"),
            type_name="Test::Value",
            properties={"value": 7},
            action=states.Action.INIT,
            physical_id=None,
        )

    def names(self, **filters: list[str]) -> list[str]:
        found = self.resources.list(self.ann, self.stack_id, filters=filters)
        return [each["name"] for each in found]


class ListTest(ResourcesTest):
    def test_nothing_is_listed_before_the_operation_has_begun(self) -> None:
        self.assertEqual([], self.names())

    def test_a_listed_resource_says_what_its_row_says(self) -> None:
        row = self.put_resource(
            self.stack_id,
            "web",
            requires=("db",),
            status=states.Status.FAILED,
            status_reason="no room",
        )

        found = self.resources.list(self.ann, self.stack_id, filters={})

        self.assertEqual(
            [
                {
                    "id": row.id,
                    "name": "web",
                    "type_name": "Test::Server",
                    "physical_id": "physical",
                    "action": "CREATE",
                    "status": "FAILED",
                    "status_reason": "no room",
                    "created_at": fakes.NOW,
                    "updated_at": fakes.NOW,
                    "required_by": [],
                    "stack": {
                        "project_id": "demo",
                        "stack_name": "app",
                        "stack_id": self.stack_id,
                    },
                    "nested_stack": None,
                }
            ],
            found,
        )

    def test_who_requires_a_resource_is_listed_with_it(self) -> None:
        self.put_all()

        found = self.resources.list(self.ann, self.stack_id, filters={})

        self.assertEqual(
            {"db": ["app", "web"], "web": ["app"], "app": []},
            {each["name"]: each["required_by"] for each in found},
        )

    def test_a_filter_takes_nothing_from_who_requires_whom(self) -> None:
        self.put_all()

        (found,) = self.resources.list(
            self.ann, self.stack_id, filters={"name": ["db"]}
        )

        self.assertEqual(["app", "web"], found["required_by"])

    def test_what_is_gone_is_not_listed(self) -> None:
        self.put_resource(
            self.stack_id,
            "db",
            action=states.Action.DELETE,
            status=states.Status.COMPLETE,
        )
        self.put_resource(
            self.stack_id, "web", replaced_by=ids.ResourceId(ids.new())
        )
        self.put_resource(
            self.stack_id,
            "app",
            action=states.Action.DELETE,
            status=states.Status.FAILED,
        )

        self.assertEqual(["app"], self.names())

    def test_filters_choose(self) -> None:
        self.put_all()

        self.assertEqual(["app"], self.names(type=["Test::Value"]))
        self.assertEqual(["app"], self.names(action=["INIT"]))
        self.assertEqual(["app", "db", "web"], self.names(status=["COMPLETE"]))
        self.assertEqual(["db", "web"], self.names(name=["web", "db", "x"]))
        self.assertEqual(
            ["web"],
            self.names(physical_resource_id=["physical"], name=["web", "app"]),
        )
        self.assertEqual([], self.names(id=["\0"]))

    def test_attributes_come_when_asked_for(self) -> None:
        self.put_all()
        self.put_resource(self.stack_id, "old", type_name="Gone::Type")

        found = self.resources.list(
            self.ann,
            self.stack_id,
            nested_depth=3,
            with_attributes=True,
            filters={},
        )

        live = {"address": "live address", "port": "live port"}
        self.assertEqual(
            {"app": {"value": None}, "db": live, "web": live, "old": {}},
            {each["name"]: each["attributes"] for each in found},
        )

    def test_resources_of_another_project_are_not_there(self) -> None:
        error = self.assertRaises(
            errors.NotFound,
            self.resources.list,
            self.eve,
            self.stack_id,
            filters={},
        )
        self.assertEqual("orch.stack.not_found", error.code)

    def test_a_list_of_many_resources_takes_linear_time(self) -> None:
        few, many = self.create(TEMPLATE, "few"), self.create(TEMPLATE, "many")
        self.put_star(few, 1000)
        self.put_star(many, 4000)

        took = [self.time_of(few, 1000), self.time_of(many, 4000)]

        self.assertLess(took[1], took[0] * 4 * 2)

    def put_star(self, stack_id: ids.StackId, size: int) -> None:
        """Store resources of which the first requires all others."""
        names = [f"r{number:04}" for number in range(size)]
        row = self.put_resource(stack_id, names[0], requires=tuple(names[1:]))
        with self.database.write() as connection:
            resources.save_many(
                connection,
                [
                    dataclasses.replace(
                        row,
                        id=ids.ResourceId(ids.new()),
                        name=name,
                        requires=(),
                    )
                    for name in names[1:]
                ],
            )

    def time_of(self, stack_id: ids.StackId, size: int) -> float:
        best = math.inf
        for _ in range(3):
            begun = time.process_time()
            found = self.resources.list(self.ann, stack_id, filters={})
            best = min(best, time.process_time() - begun)
            self.assertEqual(size, len(found))
        return best


class ShowTest(ResourcesTest):
    def show(self, name: str, *attributes: str) -> dict[str, object]:
        return dict(
            self.resources.show(
                self.ann, self.stack_id, name, list(attributes)
            )
        )

    def test_a_resource_is_shown_with_what_the_template_says(self) -> None:
        self.put_resource(self.stack_id, "db", metadata={"a": 1})

        found = self.show("db")

        self.assertEqual("The database.", found["description"])
        self.assertEqual(["web", "app"], found["required_by"])
        self.assertEqual({"a": 1}, found["metadata"])
        self.assertEqual("CREATE", found["action"])

    def test_attributes_are_read_live(self) -> None:
        self.put_resource(self.stack_id, "db", attributes={"port": 1})

        self.assertEqual(
            {"address": "live address", "port": "live port"},
            self.show("db")["attributes"],
        )

    def test_an_attribute_that_cannot_be_read_takes_no_other_along(
        self,
    ) -> None:
        def answer(names: object) -> dict[str, object]:
            if "address" in names:  # type: ignore[operator]
                raise OSError("no route")
            return {"port": 80}

        self.server.answer = answer
        self.put_resource(self.stack_id, "db", attributes={"address": "::1"})

        self.assertEqual(
            {"address": "::1", "port": 80}, self.show("db")["attributes"]
        )

    def test_where_nothing_can_be_read_attributes_are_null(self) -> None:
        def fail(names: object) -> object:
            raise OSError("no route")

        self.server.answer = fail
        self.put_resource(self.stack_id, "db")

        self.assertEqual(
            {"address": None, "port": None}, self.show("db")["attributes"]
        )

    def test_what_the_service_shows_are_the_attributes(self) -> None:
        self.server.shown = {"id": 1, "port": 2}
        self.put_resource(self.stack_id, "db")

        self.assertEqual(
            {"id": 1, "port": 2, "address": "live address"},
            self.show("db", "address", "port")["attributes"],
        )

    def test_an_attribute_beyond_those_declared_is_null(self) -> None:
        self.put_resource(self.stack_id, "db")

        found = self.show("db", "colour")["attributes"]

        self.assertEqual(
            {
                "address": "live address",
                "port": "live port",
                "colour": None,
            },
            found,
        )
        self.assertEqual([("address", "port")], self.server.requests)

    def test_a_resource_that_was_not_made_is_not_asked(self) -> None:
        self.put_resource(
            self.stack_id, "db", action=states.Action.INIT, physical_id=None
        )

        found = self.show("db")

        self.assertEqual("INIT", found["action"])
        self.assertEqual({"address": None, "port": None}, found["attributes"])
        self.assertEqual([], self.server.requests)

    def test_a_resource_whose_plug_in_is_gone_is_still_shown(self) -> None:
        self.put_resource(self.stack_id, "db", metadata={"a": 1})
        self.start(types=registry.ResourceTypes.of((), self.conf))

        found = self.show("db")

        self.assertEqual("db", found["name"])
        self.assertEqual("", found["description"])
        self.assertEqual({}, found["attributes"])

    def assert_missing(self, code: str, name: str) -> None:
        error = self.assertRaises(errors.NotFound, self.show, name)
        self.assertEqual(code, error.code)

    def test_a_resource_that_was_not_begun_is_not_available(self) -> None:
        self.assert_missing("orch.resource.not_available", "db")

    def test_a_resource_that_nobody_declared_is_not_found(self) -> None:
        for name in ("none", "\0", "x" * 5000):
            self.assert_missing("orch.resource.not_found", name)

    def test_a_resource_of_a_deleted_stack_is_not_found(self) -> None:
        self.set_stack(self.stack_id, deleted_at=fakes.NOW)

        self.assert_missing("orch.resource.not_found", "db")

    def test_a_resource_of_another_project_is_not_there(self) -> None:
        self.put_resource(self.stack_id, "db")

        for read in (self.resources.show, self.resources.metadata):
            error = self.assertRaises(
                errors.NotFound, read, self.eve, self.stack_id, "db"
            )
            self.assertEqual("orch.stack.not_found", error.code)

    def test_metadata_comes_from_the_row(self) -> None:
        self.put_resource(self.stack_id, "db", metadata={"a": [1]})

        self.assertEqual(
            {"a": [1]},
            self.resources.metadata(self.ann, self.stack_id, "db"),
        )
