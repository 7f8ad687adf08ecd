"""Trees that a few bytes describe are counted while they are expanded."""

import collections.abc
import functools
import json
import time
import typing

import fixtures
import sqlalchemy as sa
from oslo_config import cfg

from orch.db.models import stacks
from orch.engine.conductor import preparation
from orch.model import operation as operation_module
from orch.plugin import registry
from orch.template import template as template_module
from tests import base
from tests.chaos import records
from tests.scenarios import inprocess
from tests.support import rest
from tests.support import waiting

Json = rest.Json

_NONE: typing.Final[Json] = {"type": "OS::Heat::None"}
_MANY: typing.Final = 900
_REFUSED: typing.Final = (400, "RequestLimitExceeded")
_FEW_TEMPLATES: typing.Final = 12
"""Templates that a request with a few levels needs, as large as it may be."""


def template(**declared: Json) -> Json:
    return {"heat_template_version": "2021-04-16", "resources": declared}


def group(count: object, member: Json) -> Json:
    return {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": count, "resource_def": member},
    }


def groups(*counts: object, of: Json = _NONE) -> Json:
    """Return groups in groups, the outermost count first."""
    return functools.reduce(
        lambda member, count: group(count, member), reversed(counts), of
    )


def files_of(levels: int, width: int) -> Json:
    """Return templates in templates, so many of the next in each."""
    found = {}
    for level in range(levels):
        below = f"{level + 1}.yaml" if level + 1 < levels else "OS::Heat::None"
        resources = {f"r{n}": {"type": below} for n in range(width)}
        found[f"{level}.yaml"] = json.dumps(template(**resources))
    return found


class System(inprocess.System):
    """Orch with all installed types.

    :ivar loaded: how many templates were read so far
    """

    loaded = 0
    options: typing.ClassVar[dict[str, Json]] = {}

    def _setUp(self) -> None:  # noqa: N802 - fixtures names it
        load = template_module.Template.load.__func__  # type: ignore[attr-defined]

        def counted(*arguments: object, **more: object) -> object:
            self.loaded += 1
            return load(*arguments, **more)

        self.useFixture(
            fixtures.MonkeyPatch(
                "orch.template.template.Template.load", classmethod(counted)
            )
        )
        super()._setUp()

    def _options(self) -> cfg.ConfigOpts:
        conf = super()._options()
        conf.set_override("enable_stack_adopt", True)
        for group_name, values in self.options.items():
            for name, wanted in values.items():
                conf.set_override(name, wanted, group=group_name or None)
        return conf

    def client_of(self, project: str) -> inprocess.Client:
        """Return a client that speaks for another project."""
        return inprocess.Client(self.client._api.app, project)

    def _types(self, life: inprocess.Life) -> registry.ResourceTypes:
        return registry.ResourceTypes(self._conf)

    def count_stacks(self) -> int:
        """Return how many stacks there are, child stacks too."""
        with self.records.database.engine.connect() as connection:
            found = connection.execute(
                sa.select(sa.func.count()).select_from(stacks.STACKS)
            )
            return int(found.scalar_one())


class ExpansionTestCase(base.TestCase):
    limit_s = 120
    system_type: type[System] = System

    def setUp(self) -> None:
        super().setUp()
        self.system = self.useFixture(self.system_type())
        self.client = self.system.client

    def ask(self, method: str, path: str, body: Json) -> Json:
        return typing.cast(Json, self.client.ask(method, path, body))

    def create(
        self, wanted: Json, wait: str = "CREATE_COMPLETE", **more: object
    ) -> rest.Stack:
        stack = self.client.create("s", wanted, **more)
        self.wait(stack, wait)
        return stack

    def wait(self, stack: rest.Stack, status: str) -> None:
        records.wait_until(
            lambda: self.system.records.stack_states()[stack.id] == status,
            timeout_s=60,
        )

    def check_refused(
        self, ask: collections.abc.Callable[[], object], templates: int
    ) -> None:
        """Check that a request is refused before much of it is expanded."""
        before = self.system.loaded, self.system.count_stacks()
        error = self.assertRaises(rest.RefusedError, ask)
        self.assertEqual(_REFUSED, (error.status, error.type), error.body)
        self.assertLessEqual(self.system.loaded - before[0], templates)
        self.assertEqual(before[1], self.system.count_stacks())


class RequestTests(ExpansionTestCase):
    """Each request that reads a template ends at the first one too many."""

    bombs: typing.ClassVar[dict[str, Json]] = {
        "two levels": {"template": template(g=groups(_MANY, _MANY))},
        "four levels": {"template": template(g=groups(*[_MANY] * 4))},
        "an index": {
            "template": template(
                g=groups(_MANY, _MANY, of={"type": "X%index%::None"})
            ),
            "environment": {"resource_registry": {"X*": "OS::Heat::None"}},
        },
    }

    def ways(self, stack: rest.Stack, body: Json) -> dict[str, Json]:
        """Return a request for each way in, by method and path."""
        document = {
            "stack_name": "new",
            "adopt_stack_data": {**body, "resources": {}},
            "adopt_missing": "create",
        }
        return {
            "POST /stacks/preview": {"stack_name": "new", **body},
            "POST /stacks": {"stack_name": "new", **body},
            f"PUT {stack.path}/preview": body,
            f"PUT {stack.path}": body,
            f"PATCH {stack.path}": body,
            f"POST {stack.path}/plans": {"action": "update", **body},
            "POST /stacks ": document,
            "POST /stacks/preview ": document,
        }

    def test_no_way_in_expands_more_than_allowed(self) -> None:
        stack = self.create(template(g=groups(2)))
        for name, body in self.bombs.items():
            for way, request in self.ways(stack, body).items():
                with self.subTest(f"{name}: {way}"):
                    self.check_refused(
                        functools.partial(
                            self.ask, *way.strip().split(), request
                        ),
                        _FEW_TEMPLATES,
                    )

    def test_a_group_that_alone_is_too_large_fails_as_in_heat(self) -> None:
        stack = self.create(template(g=groups(1001)), "CREATE_FAILED")
        self.assertIn(
            "resources.g: Request limit exceeded: Maximum resources per stack",
            str(self.client.show(stack)["stack_status_reason"]),
        )
        self.assertEqual(1, self.system.count_stacks())
        self.check_refused(
            lambda: self.client.create("t", template(g=groups(2, 1001))),
            _FEW_TEMPLATES,
        )

    def test_groups_that_grow_with_their_number_are_counted(self) -> None:
        """The first of the members has none of its own."""
        body = {"template": template(g=groups(_MANY, "%index%"))}
        stack = self.create(template(g=groups(2)))
        for way, request in self.ways(stack, body).items():
            with self.subTest(way):
                self.check_refused(
                    functools.partial(self.ask, *way.strip().split(), request),
                    _FEW_TEMPLATES + 15,
                )
        few = template(g=groups(9, "%index%"))
        self.wait(self.client.create("few", few), "CREATE_COMPLETE")

    def test_templates_in_templates_are_counted(self) -> None:
        body = {
            "template": template(a={"type": "0.yaml"}),
            "files": files_of(3, 30),
        }
        stack = self.create(template(g=groups(2)))
        for way, request in self.ways(stack, body).items():
            if "adopt_stack_data" not in request:
                with self.subTest(way):
                    self.check_refused(
                        functools.partial(
                            self.ask, *way.strip().split(), request
                        ),
                        _FEW_TEMPLATES + 30,
                    )

    def test_nested_parameters_are_shown_of_so_many_only(self) -> None:
        body = {
            "template": template(a={"type": "0.yaml"}),
            "files": files_of(3, 30),
        }
        self.check_refused(
            lambda: self.ask("POST", "/validate?show_nested=true", body),
            _FEW_TEMPLATES,
        )

    def test_as_many_as_allowed_are_expanded(self) -> None:
        body = {"stack_name": "new", "template": template(g=groups(27, 36))}
        shown = self.ask("POST", "/stacks/preview", body)["stack"]
        self.assertEqual(27, len(shown["resources"][0]))
        body["template"] = template(g=groups(28, 36))
        self.check_refused(
            lambda: self.ask("POST", "/stacks/preview", body),
            _FEW_TEMPLATES + 28,
        )

    def test_a_member_that_is_larger_than_others_counts_as_itself(
        self,
    ) -> None:
        """The first of many has a part that the others have not."""
        member = {
            **template(
                **{
                    f"first{n}": {**_NONE, "condition": "is_first"}
                    for n in range(90)
                },
                own=_NONE,
            ),
            "parameters": {"index": {"type": "string"}},
            "conditions": {
                "is_first": {"equals": [{"get_param": "index"}, "0"]}
            },
        }
        self.ask(
            "POST",
            "/stacks/preview",
            {
                "stack_name": "new",
                "template": template(
                    g=group(
                        20,
                        {
                            "type": "member.yaml",
                            "properties": {"index": "%index%"},
                        },
                    )
                ),
                "files": {"member.yaml": json.dumps(member)},
            },
        )


_VALUE: typing.Final = {"type": "OS::Heat::Value"}


def value(text: object) -> Json:
    """Return a resource whose value is known in the run."""
    return {**_VALUE, "properties": {"value": text}}


def known_in_run(name: str = "v") -> Json:
    return {"get_attr": [name, "value"]}


class SmallSystem(System):
    """Orch with small trees."""

    options: typing.ClassVar[dict[str, Json]] = {
        "": {"max_resources_per_stack": 100}
    }


class RunTests(ExpansionTestCase):
    """Sizes that only the run knows end it at the first one too many."""

    system_type = SmallSystem

    def failure(self, stack: rest.Stack) -> str:
        return str(self.client.show(stack)["stack_status_reason"])

    def test_a_group_that_cannot_be_made_makes_no_member(self) -> None:
        before = self.system.loaded
        stack = self.create(
            template(v=value(30), g=groups(known_in_run(), known_in_run())),
            "CREATE_FAILED",
        )
        self.assertIn("RequestLimitExceeded", self.failure(stack))
        self.assertEqual(1, self.system.count_stacks())
        self.assertLessEqual(self.system.loaded - before, 2 * _FEW_TEMPLATES)

    def test_the_first_member_too_many_ends_the_group(self) -> None:
        """What its members have is known once they are made."""
        member = template(v=value(10), g=group(known_in_run(), _NONE))
        before = self.system.loaded
        stack = self.create(
            template(g=group(30, {"type": "member.yaml"})),
            "CREATE_FAILED",
            files={"member.yaml": json.dumps(member)},
        )
        self.assertIn("Maximum resources per stack", self.failure(stack))
        made = self.system.loaded - before
        self.assertLessEqual(made, 5 * 30, "templates are read again")

    def test_an_update_knows_what_the_stack_has(self) -> None:
        there = {"v": value(_MANY), "reader": value(known_in_run())}
        stack = self.create(template(**there))
        bomb = groups(known_in_run(), known_in_run())
        body = {"template": template(**there, g=bomb)}
        for way, request in {
            f"PUT {stack.path}/preview": body,
            f"POST {stack.path}/plans": {"action": "update", **body},
        }.items():
            with self.subTest(way):
                self.check_refused(
                    functools.partial(self.ask, *way.split(), request),
                    _FEW_TEMPLATES,
                )


class UnlimitedSystem(System):
    """Orch without a limit of resources, whose callers do not wait long."""

    options: typing.ClassVar[dict[str, Json]] = {
        "": {"max_resources_per_stack": -1},
        "api": {"rpc_timeout": 2},
    }


class DeadlineTests(ExpansionTestCase):
    """What takes longer than its caller waits ends with the caller."""

    system_type = UnlimitedSystem

    def test_an_expansion_ends_with_its_caller(self) -> None:
        stack = self.create(template(g=groups(2)))
        body = {"template": template(g=groups(300, 300, 300))}
        for way, request in {
            "POST /stacks/preview": {"stack_name": "new", **body},
            f"PUT {stack.path}/preview": body,
            f"POST {stack.path}/plans": {"action": "update", **body},
        }.items():
            with self.subTest(way):
                error = self.assertRaises(
                    rest.RefusedError, self.ask, *way.split(), request
                )
                self.assertEqual(503, error.status, error.body)
                self.check_at_rest()

    def check_at_rest(self) -> None:
        """Check that the worker soon reads no templates any more."""

        def is_at_rest() -> bool:
            before = self.system.loaded
            time.sleep(0.5)
            return self.system.loaded == before

        waiting.wait_for(is_at_rest, "the end of the request")


class TurnTests(ExpansionTestCase):
    """A project with many child stacks does not delay those of others."""

    def setUp(self) -> None:
        super().setUp()
        self.prepared: list[str] = []
        seen: set[str] = set()
        prepare = preparation.Preparer.prepare

        def noted(
            preparer: preparation.Preparer,
            operation: operation_module.Operation,
            *arguments: typing.Any,
            **more: typing.Any,
        ) -> object:
            # On a busy machine a lease may be lost, and it is done again.
            if operation.id not in seen:
                seen.add(operation.id)
                self.prepared.append(operation.project_id)
            return prepare(preparer, operation, *arguments, **more)

        self.useFixture(
            fixtures.MonkeyPatch(
                "orch.engine.conductor.preparation.Preparer.prepare", noted
            )
        )

    def test_child_stacks_of_projects_take_turns(self) -> None:
        member = {"member.yaml": json.dumps(template(only=_NONE))}
        large = template(g=group(150, {"type": "member.yaml"}))
        small = template(g=group(2, {"type": "member.yaml"}))
        few = self.system.client_of("few")
        many = self.client.create("many", large, files=member)
        waiting.wait_for(
            lambda: len(self.prepared) > 10, "the first of many child stacks"
        )
        before = len(self.prepared)

        stack = few.create("few", small, files=member)
        self.wait(stack, "CREATE_COMPLETE")

        meanwhile = self.prepared[before:]
        own = meanwhile.count("few")
        self.assertEqual(4, own)
        self.assertLess(len(meanwhile) / own, 15, meanwhile)
        self.wait(many, "CREATE_COMPLETE")
        self.assertEqual(152, self.prepared.count("demo"))
