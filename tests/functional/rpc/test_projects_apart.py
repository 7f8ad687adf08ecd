"""No RPC call for one project shows or changes anything of another one.

The methods are those of the contract, with the marks that they have there.
"""

import collections.abc
import inspect
import itertools
import json
import pathlib
import shutil
import tempfile
import types
import typing

from orch import clock
from orch import errors
from orch.conf import load
from orch.context import request
from orch.db import engine as db_engine
from orch.engine import dependencies
from orch.engine import endpoints
from orch.engine import plugin_reads
from orch.engine.secrets import tree_secrets
from orch.engine.software import store
from orch.engine.stack_inputs import template_cache
from orch.flow.state import drift_records
from orch.plugin import registry
from orch.policies import enforcer
from orch.rpc import contract
from orch.rpc.contract import methods
from tests.functional import two_projects
from tests.functional.rpc import worker
from tests.unit.engine import fakes

Json = two_projects.Json

_TEMPLATE: typing.Final[Json] = {"heat_template_version": "2021-04-16"}
_SHARE: typing.Final = 6
_OF_SERVICES: typing.Final = ("document", "service")
"""Namespaces that services ask, for all projects."""
_WORDS: typing.Final = ("action", "heat_template_version")
"""Parameters whose words the API checks."""
_HINTS: typing.Final = ("child_ended", "run", "run_some")
"""Methods of workers that only wake others."""
_GOOD: typing.Final[Json] = {
    "inputs": {"template": _TEMPLATE},
    "action": "CHECK",
    "name_or_id": "{stack_name}",
    "physical_id": "{server_id}",
    "resource_id": None,
    "template": _TEMPLATE,
    "config_id": "{config_id}",
    "all_projects": False,
    "limit": 100,
}
"""Values of parameters that make a call a good one; others by their type."""
_KINDS: typing.Final = {
    methods.read_namespace(each).name: each for each in contract.NAMESPACES
}
"""Protocols of the contract by namespace."""


_NEW: typing.Final[Json] = {"name": "fresh-stack"}
_ADOPTED: typing.Final[Json] = {
    **_NEW,
    "data": {"template": _TEMPLATE, "resources": {}},
    "request": {"verify": "warn"},
}
_TAKEN_OVER: typing.Final[Json] = {
    **_NEW,
    "hand_over": "{gone_id}",
    "inputs": {},
    "request": {"verify": "warn"},
}
_SOURCE = two_projects.template("rightmark")
_RANDOM = {"rightmark_random": _SOURCE["resources"].pop("rightmark_random")}
_MOVED: typing.Final[Json] = {
    "request": {
        "target": "{target}",
        "resources": {"rightmark_random": "rightmark_random"},
        "source_inputs": {"template": _SOURCE},
        "target_inputs": {
            "template": {**_TEMPLATE, "resources": _RANDOM},
        },
    }
}
_CORRECT: typing.Final[dict[str, Json]] = {
    "adoption.adopt": _ADOPTED,
    "adoption.announce": {
        "stack_id": "{gone_id}",
        "document": {"announcements": []},
    },
    "adoption.commit": {"token": None, "secrets": None},
    "adoption.export": {"secrets": None},
    "adoption.list_forwarded": {"stack_id": "{gone_id}"},
    "adoption.prepare": {"secrets": None},
    "adoption.show": {"stack_id": "{gone_id}", "secrets": None},
    "drift.accept": {"paths": None},
    "drift.history": {"marker": None},
    "drift.show": {"states": ["in_sync"]},
    "drift.undo_accept": {"paths": None},
    "event.follow": {"after": None},
    "hand_over.offer": {"receiver_id": "third"},
    "hand_over.preview": _TAKEN_OVER,
    "hand_over.take_over": _TAKEN_OVER,
    "hand_over.withdraw": {"stack_id": "{gone_id}"},
    "move.move": _MOVED,
    "move.preview": _MOVED,
    "plan.create": {"request": {"action": "check"}},
    "plan.create_with_stack": _NEW,
    "plan.preview_adoption": _ADOPTED,
    "plan.preview_create": _NEW,
    "resource.revoke_addresses": {"name": "{handle}"},
    "resource.signal": {
        "name": "{handle}",
        "signal_id": None,
        "details": {"id": "1", "status": "SUCCESS", "reason": "", "data": ""},
    },
    "software_config.delete": {"config_id": "{spare_id}"},
    "stack.create": _NEW,
    "template.validate": {"ignore_errors": []},
}
"""Arguments of methods whose other ones would be refused."""
_REFUSED: typing.Final[dict[str, str]] = {
    "adoption.announce": "no adopted stack announces addresses",
    "adoption.show_addresses": "no stack waits for announced addresses",
    "lifecycle.approve": "no plug-in holds an operation",
    "lifecycle.reject": "no plug-in holds an operation",
    "resource.answer_outcome": "no outcome is unknown",
    "stack.cancel": "no operation is in progress",
    "stack.retry": "no operation has failed",
    "template.files": "the worker logs in to no cloud",
}
"""Methods that no call of the right project can succeed with, and why."""


class CopyTestCase(two_projects.TwoProjectsTestCase):
    """Workers on copies of the rows of both projects.

    :ivar copy: the database of the newest worker
    :ivar before: rows before its first call
    :ivar stored: what accepted changes have told it
    """

    limit_s = 900

    def setUp(self) -> None:
        super().setUp()
        self.conf = load.load([], files=[])
        self.types = registry.ResourceTypes(self.conf)
        self.rules = enforcer.Enforcer(self.conf, clock.SystemClock())
        self.turns = itertools.cycle(self.names)
        self.copy: pathlib.Path | None = None

    def restart(self) -> None:
        """Have a worker on a new copy of the rows of both projects.

        Until now the left project had the same rows.
        """
        if self.copy is not None:
            self.check_apart()
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.copy = pathlib.Path(place.name) / "orch.db"
        source = self.database()
        for end in ("", "-wal", "-shm"):
            if pathlib.Path(f"{source}{end}").exists():
                shutil.copy(f"{source}{end}", f"{self.copy}{end}")
        self.before = two_projects.read_rows(self.copy)
        self.stored: set[str] = set()
        database = db_engine.Database(f"sqlite:///{self.copy}")
        self.addCleanup(database.dispose)
        self.start(database)

    def check_apart(self) -> None:
        """Check that the left project has the rows that it had."""
        assert self.copy is not None
        self.assert_same(self.before, two_projects.read_rows(self.copy))

    def start(self, database: db_engine.Database) -> None:
        """Serve the methods of a worker on a database."""
        conf, kinds = self.conf, self.types
        settings = dependencies.Settings(adopts=True, abandons=True)
        store.assign_stores(kinds, database, settings.software)
        limits = dependencies.limits_of(conf)
        time = clock.SystemClock()
        templates = template_cache.TemplateCache(kinds, limits)
        deps = dependencies.Dependencies(
            database=database,
            types=kinds,
            limits=limits,
            settings=settings,
            clock=time,
            conductor=typing.cast(typing.Any, fakes.Conductor()),
            templates=templates,
            records=drift_records.DriftRecords(
                tree_secrets.redacts_drift(templates.find), kinds, 10
            ),
            reads=plugin_reads.PluginReads(limit_s=10),
            rules=self.rules,
        )
        self.served = endpoints.build_endpoints(deps)
        self.direct = worker.Direct(self.served)

    def is_stored(self, mark: str) -> bool:
        """Whether the right project was told a mark, and has it now."""
        if not any(mark in each for each in self.stored):
            return False
        assert self.copy is not None
        held = two_projects.texts_of(
            two_projects.read_rows(self.copy), two_projects.RIGHT
        )
        return any(mark in each for each in held)


class RpcTests(CopyTestCase):
    """A change is called on a worker of its own, all reads on one."""

    def test_no_call_shows_or_changes_what_another_project_has(self) -> None:
        refused = {}

        def ask(namespace: str, name: str) -> None:
            good = self.good(namespace, name)
            for arguments in self.offers(namespace, name, good):
                self.call(namespace, name, arguments)
            if _is_change(namespace, name):
                self.restart()
            error = self.call(namespace, name, good)
            if error is not None:
                refused[f"{namespace}.{name}"] = error

        self.restart()
        for method in self.methods():
            ask(*method)
            if _is_change(*method):
                self.restart()
        self.check_apart()
        # Else nothing was asked that could have been answered.
        self.assertEqual(_REFUSED.keys(), refused.keys(), refused)

    def methods(self) -> list[tuple[str, str]]:
        """Return all methods: what reads first, what ends things last."""
        found = []
        for kind in contract.NAMESPACES:
            namespace = methods.read_namespace(kind)
            found += [
                (namespace.name, each.name)
                for each in namespace.methods
                if namespace.name not in _OF_SERVICES
                and each.name not in _HINTS
            ]

        def harm(method: tuple[str, str]) -> tuple[bool, bool, str, str]:
            namespace, name = method
            is_end = name in ("commit", "delete", "update")
            return _is_change(namespace, name), is_end, namespace, name

        return sorted(found, key=harm)

    def good(self, namespace: str, name: str) -> Json:
        """Return arguments that the right project may send."""
        method = getattr(_KINDS[namespace], name)
        hints = typing.get_type_hints(method, include_extras=True)
        if "wanted" in hints:
            wanted = _of_map(typing.get_args(hints["wanted"])[0], self.own)
            return wanted | self.corrected(namespace, name)
        found = {}
        for given in inspect.signature(method).parameters:
            if given in ("self", "ctxt"):
                continue
            known = self.own.get(given)
            if given == "name" and namespace == "resource":
                known = self.own["resource"]
            value = known or _good_value(given, hints[given], self.own)
            found[given] = value
        return found | self.corrected(namespace, name)

    def corrected(self, namespace: str, name: str) -> Json:
        """Return the arguments of a method that have to be special."""
        text = json.dumps(_CORRECT.get(f"{namespace}.{name}", {}))
        for key, value in self.own.items():
            text = text.replace(f"{{{key}}}", value)
        found: Json = json.loads(text)
        return found

    def offers(
        self, namespace: str, name: str, good: Json
    ) -> collections.abc.Iterator[Json]:
        """Yield arguments with marks in them."""
        theirs = json.loads(json.dumps(good))
        places = list(_places(good))
        for place in places:
            known = self.theirs.get(str(place[-1]), self.names[0])
            _set(theirs, place, known)
        yield theirs
        for place in places:
            for mark in self.next_names():
                arguments = json.loads(json.dumps(good))
                _set(arguments, place, mark)
                yield arguments

    def next_names(self) -> list[str]:
        """Return names and ids; each has its turn at some places."""
        return list(itertools.islice(self.turns, _SHARE))

    def call(self, namespace: str, name: str, arguments: Json) -> str | None:
        """Call a method; check that the answer tells nothing.

        :returns: why it was refused, if it was
        """
        refusal = None
        ctxt = request.RequestContext(
            project_id=two_projects.RIGHT,
            user_name="chief",
            roles=["reader", "member", "admin"],
            is_admin=True,
            is_admin_project=False,
        )
        told = set(two_projects.texts(arguments))
        try:
            answer = self.direct.call(ctxt, namespace, name, **arguments)
        except errors.OrchError as error:
            answer = refusal = error.message
            self.assertNotIn("unexpectedly", answer, (namespace, arguments))
        else:
            if _is_change(namespace, name):
                self.stored |= told
        said = json.dumps(answer)
        for found in (each for each in self.marks if each in said):
            is_told = any(found in each for each in told)
            if not is_told and not self.is_stored(found):
                self.fail(
                    f"{found} in {namespace}.{name}({arguments}): {said}"
                )
        return refusal


def _is_change(namespace: str, name: str) -> bool:
    (found,) = (
        each
        for each in methods.read_namespace(_KINDS[namespace]).methods
        if each.name == name
    )
    return not found.policy.is_read


def _good_value(name: str, hint: object, own: dict[str, str]) -> object:
    """Return a value for a parameter, by its name or its type."""
    found = _GOOD.get(name)
    if isinstance(found, str) and found.startswith("{"):
        return own[found.strip("{}")]
    if name in _GOOD:
        return found
    if name in own:
        return own[name]
    parts = [each for each in typing.get_args(hint) if each is not type(None)]
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        return _good_value(name, parts[0], own)
    if typing.is_typeddict(hint):
        return _of_map(hint, own)
    for kind, value in ((bool, False), (int, 1), (float, 1.0), (str, "text")):
        if hint is kind:
            return value
    if origin is not None and issubclass(origin, collections.abc.Mapping):
        return {}
    if origin is not None and issubclass(origin, collections.abc.Sequence):
        return ["text"] if parts == [str] else []
    return {"text": "text"}


def _of_map(hint: typing.Any, own: dict[str, str]) -> Json:
    """Return a good map of a typed dictionary."""
    hints = typing.get_type_hints(hint)
    return {
        name: _good_value(name, each, own)
        for name, each in hints.items()
        if name in hint.__required_keys__ or _is_text(each)
    }


def _is_text(hint: object) -> bool:
    return hint is str or str in typing.get_args(hint)


def _places(
    value: object, path: tuple[str | int, ...] = ()
) -> collections.abc.Iterator[tuple[str | int, ...]]:
    """Yield the places of all texts."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name not in _WORDS:
                yield from _places(each, (*path, name))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _places(each, (*path, number))
    elif isinstance(value, str):
        yield path


def _set(
    value: typing.Any, path: tuple[str | int, ...], wanted: object
) -> None:
    for each in path[:-1]:
        value = value[each]
    value[path[-1]] = wanted
