"""Each field of the contract comes through REST to the client's values."""

import collections.abc
import importlib
import typing

from orch.api.views import facts as views
from orch.rpc import contract
from orch.rpc.contract import fields
from orch.rpc.contract import rest
from orchclient import response_parser
from orchclient import stack_identity
from orchclient import status
from orchclient.values import drift
from orchclient.values import lifecycle
from orchclient.values import operations
from orchclient.values import plans
from orchclient.values import services
from orchclient.values import snapshots
from tests import base
from tools.client_values import classes
from tools.client_values import source

STACK = stack_identity.StackIdentity("web", "s-1", "demo")
_IDENTITY = {"project_id": "demo", "stack_name": "web", "stack_id": "s-1"}
_MOMENT = 1_000_000_000.0
_SCALARS: dict[object, object] = {
    str: "text",
    int: 7,
    float: 2.5,
    bool: True,
    object: {"any": ["thing", None]},
}
_PARSED: dict[str, object] = {
    "resource_status": "CREATE_FAILED",
    "status_reason": "why",
    "resource": "web/page",
    "problem": "lost",
    "status": "up",
}
"""What views add to bodies."""


def sample(kind: type, depth: int = 0) -> dict[str, object]:
    """Return facts that have all fields, at two levels at most."""
    found: dict[str, object] = {}
    for field in fields.fields(kind):
        value = sample_value(field.declared, depth)
        if value is not None or field.is_required:
            found[field.key] = value
    return found


def sample_value(declared: fields.Declared, depth: int) -> object:
    if declared.find(rest.Stack):
        return _IDENTITY
    if declared.has(rest.TIME):
        return _MOMENT
    if fields.is_facts(declared.hint):
        return sample(declared.hint, depth + 1) if depth < 2 else None
    if not declared.arguments:
        return _SCALARS[declared.hint]
    item = fields.declared(declared.arguments[-1])
    value = sample_value(item, depth)
    if declared.origin is dict:
        return {} if value is None else {"key": value}
    return [] if value is None else [value]


def load(value: classes.Value) -> typing.Any:
    """Return the class of the client."""
    module = importlib.import_module(
        f"orchclient.values.{source.find_module(value)}"
    )
    return getattr(module, value.name)


def parse(value: classes.Value, body: dict[str, object]) -> object:
    needed = [
        {"stack": STACK, "saved": None}[name]
        for name, extra in value.extras.items()
        if not extra.value
    ]
    return load(value).of({**_PARSED, **body}, *needed)


def is_shown(shown: typing.Any, given: object) -> bool:
    """Whether an attribute says what a field of facts does."""
    if isinstance(given, list):
        return (
            isinstance(shown, tuple)
            and len(shown) == len(given)
            and all(map(is_shown, shown, given))
        )
    if given == _MOMENT:
        return str(shown) == "2001-09-09 01:46:40+00:00"
    if given == _IDENTITY:
        return bool(shown == STACK)
    if isinstance(shown, response_parser.Absent):
        return False
    if isinstance(given, dict) and not isinstance(shown, dict):
        return any(type(shown) is load(each) for each in classes.VALUES)
    if isinstance(given, dict):
        return bool(shown == given) or all(
            is_shown(shown[key], value) for key, value in given.items()
        )
    return bool(shown == given)


class ValuesTest(base.TestCase):
    def test_each_field_comes_through(self) -> None:
        for value in classes.VALUES:
            given = sample(value.facts)
            found = parse(
                value, views.view(given, value.facts, "http://o.test")
            )
            for field in fields.fields(value.facts):
                name = value.find_attribute(field.key)
                is_left = field.declared.has(rest.HIDDEN) or (
                    field.key in value.omitted
                )
                if not is_left:
                    self.assertTrue(
                        is_shown(getattr(found, name), given[field.key]),
                        f"{value.name}.{name}: {getattr(found, name)!r},"
                        f" not {given[field.key]!r}",
                    )

    def test_the_samples_tell_values_apart(self) -> None:
        self.assertFalse(is_shown("", "text"))
        self.assertFalse(is_shown(0, 7))
        self.assertFalse(is_shown(None, {"key": 7}))
        self.assertFalse(is_shown((), ["text"]))
        self.assertFalse(is_shown(None, _MOMENT))
        self.assertFalse(is_shown(response_parser.ABSENT, {"any": 1}))


class ExtrasTest(base.TestCase):
    def of(self, kind: typing.Any, more: response_parser.Json) -> typing.Any:
        (value,) = (
            each for each in classes.VALUES if each.name == kind.__name__
        )
        body = views.view(sample(value.facts), value.facts, "http://o.test")
        return parse(value, {**body, **more})

    def test_what_views_add_is_read(self) -> None:
        progress = self.of(
            operations.Progress, {"resource_status": "UPDATE_COMPLETE"}
        )

        self.assertEqual(status.Status("UPDATE", "COMPLETE"), progress.status)
        self.assertEqual(
            [True, False],
            [
                self.of(services.Process, {"status": each}).is_up
                for each in ("up", "down")
            ],
        )
        self.assertEqual(
            "full",
            self.of(snapshots.Snapshot, {"status_reason": "full"}).reason,
        )

    def test_values_have_the_methods_of_their_noun(self) -> None:
        stack = self.of(drift.StackDrift, {})
        held = self.of(lifecycle.Held, {"path": []})

        self.assertEqual(("s-1", "web"), (stack.id, stack.name))
        self.assertEqual(("web", "web"), (held.which, held.root_name))
        self.assertFalse(held.hold.is_open)
        self.assertEqual(
            "text: text (overridden by text: text): text",
            self.of(lifecycle.Verdict, {}).line,
        )

    def test_a_verdict_says_whether_it_counts_and_can_be_overridden(
        self,
    ) -> None:
        for ruling, level, note in (
            ("deny", "mandatory", ""),
            ("deny", "soft-mandatory", " (can be overridden: --override"),
            ("warn", "soft-mandatory", ""),
            ("warn", "advisory", " (advisory)"),
        ):
            found = self.of(
                lifecycle.Verdict,
                {
                    "ruling": ruling,
                    "enforcement": level,
                    "overridden_by": None,
                },
            )

            self.assertIn(f"{ruling}{note}", found.line)

    def test_a_plan_counts_those_of_child_stacks(self) -> None:
        found = plans.Plan.of(
            {
                "action": "UPDATE",
                "warnings": ["outer"],
                "changes": [
                    _change(
                        "update",
                        child_plan={
                            "action": "UPDATE",
                            "warnings": ["inner"],
                            "changes": [_change("create", replaces="old")],
                        },
                    ),
                    {"key": "k", "kind": "clean-up"},
                ],
            }
        )

        self.assertEqual({"update": 1, "replace": 1}, found.counts())
        self.assertEqual(("outer", "inner"), found.all_warnings())
        self.assertFalse(found.is_empty)

    def test_an_operation_that_waits_for_its_answer_is_held(self) -> None:
        hold = sample(contract.HoldFacts) | {"answer": None}
        body = views.view(hold, contract.HoldFacts)

        found = self.of(
            operations.Operation, {"state": "BLOCKED", "hold": body}
        )
        ended = self.of(
            operations.Operation, {"state": "FAILED", "hold": body}
        )

        (waiting,) = found.open_holds
        self.assertEqual((STACK, ()), (waiting.stack, waiting.path))
        self.assertEqual((True, False), (found.is_held, ended.is_held))


def _change(kind: str, **more: object) -> collections.abc.Mapping[str, object]:
    return {"key": kind, "kind": kind, "resource_name": "r", **more}
