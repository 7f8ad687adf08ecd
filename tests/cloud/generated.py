"""The cases of a type that follow from its data, on a real service.

``tests/cloud/samples`` has a file for each service. It says of each of its
types what the schema cannot say of values (:class:`Samples`), and of those
without cases why. All else follows from the data of the type, as on the fake
of :mod:`tests.unit.resources.openstack.test_generated_types`.
"""

import collections.abc
import contextlib
import dataclasses
import functools
import json
import pathlib
import time
import typing
import uuid

from openstack import connection

from orch import errors
from orch.clients import rest
from orch.context import request
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import schema
from orch.resources.openstack import base as openstack_base
from orch.resources.openstack import type_data
from tests import base
from tests.support import rig
from tests.support import waiting
from tests.unit.resources import contexts
from tests.unit.resources.openstack import values

Json = dict[str, typing.Any]
Context = call_context.Context

_LIMIT_S: typing.Final = 60
_FILES: typing.Final = pathlib.Path(__file__).parent / "samples"
_FIXTURE: typing.Final = "@"
_UNIQUE: typing.Final = "{unique}"


class Samples:
    """A file of samples.

    ``services``
        types of the services that its types need
    ``fixtures``
        resources by name, which a text ``@name`` in values stands for: the
        ``type`` and ``properties`` of each; ``{unique}`` in a text is another
        text in each run
    ``values``
        two values of properties, by name, of all types of the file
    ``types``
        by name; ``needs``: fixtures that are there before;
        ``given``: further properties that a creation needs;
        ``values``: as above; ``together``: by property what else is changed
        with it; ``moves``: by property those that the service changes with
        it; ``unlike``: properties that are left as they are, by reason;
        ``is_only``: there cannot be two; ``missing``: an id of none
    ``left_out``
        types without cases, by reason
    """

    def __init__(self, name: str) -> None:
        text = (_FILES / f"{name}.json").read_text(encoding="utf-8")
        found = json.loads(text)
        self.services: tuple[str, ...] = tuple(found["services"])
        self.fixtures: Json = found.get("fixtures", {})
        self.values: Json = found.get("values", {})
        self.types: Json = found["types"]
        self.left_out: Json = found.get("left_out", {})


@functools.cache
def samples(name: str) -> Samples:
    """Return a file of samples."""
    return Samples(name)


def all_samples() -> list[Samples]:
    """Return all files of samples."""
    return [samples(each.stem) for each in sorted(_FILES.glob("*.json"))]


class _Clouds:
    """Logs in as the administrator, for each stack."""

    def __init__(self, admin: connection.Connection) -> None:
        self._admin = admin

    def connect(self, context: Context, **_: object) -> connection.Connection:
        return self._admin


class Service:
    """What acts on the types of a file, and the fixtures of them."""

    def __init__(self, name: str) -> None:
        self.samples = samples(name)
        self.admin = rig.insist(*self.samples.services).admin
        self._fixtures: dict[
            str, tuple[openstack_base.OpenStackResource, Context]
        ] = {}
        self._unique = uuid.uuid4().hex[:8]

    def plugin(self, type_name: str) -> openstack_base.OpenStackResource:
        """Return a type that acts on the service."""
        plugin = type_data.load_type(type_name)(contexts.options())
        plugin.use_clouds(_Clouds(self.admin))
        return plugin

    def context(
        self,
        plugin: openstack_base.OpenStackResource,
        given: collections.abc.Mapping[str, object],
    ) -> Context:
        """Return the context of a resource that does not exist yet."""
        token = str(uuid.uuid4())
        found = contexts.make(
            type(plugin), token=token, started_at=time.time()
        )
        project_id = self.admin.current_project_id
        return dataclasses.replace(
            found,
            physical_name=f"orch-{token[:13]}",
            properties={**found.properties, **given},
            request=request.RequestContext(project_id=project_id),
        )

    def created(
        self,
        plugin: openstack_base.OpenStackResource,
        given: collections.abc.Mapping[str, object],
    ) -> Context:
        """Return the context of a resource that is there and ready."""
        context = self.context(plugin, given)
        context = _with_result(
            context, persist(lambda: plugin.create(context))
        )
        persist_until_done(plugin.is_created, context)
        return context

    def removed(
        self, plugin: openstack_base.OpenStackResource, context: Context
    ) -> None:
        """Remove a resource; return once it is gone."""
        persist(lambda: plugin.delete(context))
        persist_until_done(plugin.is_deleted, context)

    def resolve(self, value: typing.Any) -> typing.Any:
        """Return a value of the file with the ids of its fixtures."""
        if isinstance(value, dict):
            return {name: self.resolve(one) for name, one in value.items()}
        if isinstance(value, list):
            return [self.resolve(each) for each in value]
        if isinstance(value, str) and value.startswith(_FIXTURE):
            name, _, attribute = value[1:].partition(".")
            return self._fixture(name, attribute)
        if isinstance(value, str):
            return value.replace(_UNIQUE, self._unique)
        return value

    def _fixture(self, name: str, attribute: str) -> object:
        if name == "project":
            return self.admin.current_project_id
        if name not in self._fixtures:
            wanted = self.samples.fixtures[name]
            plugin = self.plugin(wanted["type"])
            given = self.resolve(wanted.get("properties", {}))
            self._fixtures[name] = plugin, self.created(plugin, given)
        plugin, context = self._fixtures[name]
        if attribute:
            return plugin.read_attributes(context, (attribute,))[attribute]
        return context.physical_id

    def clean_up(self) -> None:
        """Remove the fixtures, the last one first."""
        for plugin, context in reversed(self._fixtures.values()):
            self.removed(plugin, context)


def _with_result(context: Context, result: object) -> Context:
    """Return the context with what a call returned of its resource."""
    if isinstance(result, call_context.CreateResult):
        return dataclasses.replace(
            context, physical_id=result.physical_id, data=result.data
        )
    if result is None:
        return context
    return dataclasses.replace(context, physical_id=str(result))


Answer = typing.TypeVar("Answer")


def persist(do: collections.abc.Callable[[], Answer]) -> Answer:
    """Return an answer of the service; ask again as the engine does."""
    pace = waiting.Pace()
    while True:
        try:
            return do()
        except errors.Transient:
            if pace.waited_s() > _LIMIT_S:
                raise
        pace.pause()


def persist_until_done(
    ask: collections.abc.Callable[[Context], object], context: Context
) -> None:
    """Wait until a call says that its action is complete."""
    waiting.wait_for(
        lambda: persist(lambda: ask(context)) is call_context.DONE,
        context.physical_name,
        _LIMIT_S,
    )


def _without_additions(given: object, shown: object) -> object:
    """Return what is shown without keys of maps that were not given."""
    if isinstance(given, dict) and isinstance(shown, dict):
        return {
            name: _without_additions(given[name], one)
            for name, one in shown.items()
            if name in given
        }
    if not isinstance(given, list) or not isinstance(shown, list):
        return shown
    if len(given) != len(shown):
        return shown
    return list(map(_without_additions, given, shown))


class GeneratedTestCase(base.TestCase):
    """One test for each type of a file of samples.

    :cvar service: acts on the types
    """

    limit_s = 300
    service: typing.ClassVar[Service]
    file_name: typing.ClassVar[str] = ""

    def __init_subclass__(cls, samples: str, **words: object) -> None:
        """Add the tests of a file.

        :param samples: its name
        """
        super().__init_subclass__(**words)
        cls.file_name = samples
        for name in Samples(samples).types:
            noun = name.lower().replace("::", "_")
            setattr(cls, f"test_{noun}", _new_test(name))

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.service = Service(cls.file_name)
        cls.addClassCleanup(cls.service.clean_up)


def _new_test(name: str) -> collections.abc.Callable[[typing.Any], None]:
    def test(self: GeneratedTestCase) -> None:
        cases = Cases(self.service, name)
        cases.play()
        self.assertEqual([], cases.faults)

    test.__doc__ = f"{name} is on its service as its data say."
    return test


class Cases:
    """The cases of one type.

    :ivar faults: what was not as it should be, a text each
    """

    def __init__(self, service: Service, name: str) -> None:
        self.faults: list[str] = []
        self._service = service
        self._plugin = service.plugin(name)
        self._kind = type(self._plugin)
        self._words: Json = service.samples.types[name]

    def play(self) -> None:
        """Play all cases; after one that fails the next one."""
        for name in self._words.get("needs", ()):
            self._service.resolve(f"{_FIXTURE}{name}")
        context = self._service.created(self._plugin, self._required())
        try:
            with self._case("created"):
                self._check_given(context, self._required())
            with self._case("find"):
                self._check_found(context)
            with self._case("adopt"):
                self._check_adopted(context)
            with self._case("observe"):
                self._check_observed(context)
            changed, replaced = self._split(context)
            self._play("change", self._check_changed, context, changed)
            if not self._words.get("is_only"):
                self._play("replace", self._check_replaced, context, replaced)
        finally:
            with self._case("delete"):
                self._check_deleted(context)

    @contextlib.contextmanager
    def _case(self, what: str) -> collections.abc.Iterator[None]:
        try:
            yield
        except (AssertionError, errors.OrchError, LookupError) as error:
            self.faults.append(f"{what}: {type(error).__name__}: {error}")

    # Values.

    def _required(self) -> Json:
        names = {
            each.name for each in self._kind.properties if each.required
        } | set(self._words.get("given", ()))
        return {name: self._value(name, 0) for name in sorted(names)}

    def _value(self, name: str, number: int) -> typing.Any:
        for known in (
            self._words.get("values", {}),
            self._service.samples.values,
        ):
            if name in known:
                return self._service.resolve(known[name][number])
        (declared,) = (e for e in self._kind.properties if e.name == name)
        field = self._kind.table.fields[name]
        both = [values.of_property(declared, field, each) for each in (0, 1)]
        # The other value is another one than what is there without any.
        return both[1 - number if both[1] == declared.default else number]

    def _split(self, context: Context) -> tuple[list[str], list[str]]:
        """Return the properties that change in place, and the other ones."""
        changed, replaced = [], []
        before, unlike = context.properties, self._words.get("unlike", {})
        for each in self._kind.properties:
            name = each.name
            if name in unlike or name not in self._kind.table.fields:
                continue
            new = {name: self._value(name, 1), **self._together(name)}
            if each.on_update is schema.OnUpdate.REPLACE or (
                self._plugin.needs_replacement(
                    before, {**before, **new}, tuple(new)
                )
            ):
                replaced.append(name)
            elif each.on_update is schema.OnUpdate.MODIFY:
                changed.append(name)
        return changed, replaced

    def _play(
        self,
        what: str,
        check: collections.abc.Callable[[Context, list[str]], None],
        context: Context,
        names: list[str],
    ) -> None:
        """Check properties at once; those that need others each by itself.

        If that fails, each is checked by itself to say which one it was.
        """
        alone = self._words.get("together", {}).keys()
        several = [each for each in names if each not in alone]
        before = len(self.faults)
        if several:
            with self._case(f"{what} {', '.join(several)}"):
                check(context, several)
        others = [each for each in names if each in alone]
        failed = several if len(self.faults) > before else []
        for name in [*failed, *others]:
            with self._case(f"{what} {name}"):
                check(context, [name])

    def _together(self, name: str) -> Json:
        together = self._words.get("together", {}).get(name, {})
        return typing.cast("Json", self._service.resolve(together))

    # What is compared.

    def _live(self, context: Context) -> Json:
        return dict(persist(lambda: self._plugin.get_reality(context)) or {})

    def _differing(
        self,
        one: collections.abc.Mapping[str, object],
        other: collections.abc.Mapping[str, object],
    ) -> list[str]:
        """Return the properties that both know, and that differ."""
        return sorted(
            name
            for name in one.keys() & other.keys()
            if not self._plugin.is_like(name, one[name], other[name])
        )

    def _is_within(self, name: str, given: object, shown: object) -> bool:
        """Whether a value is as given, but for what the service adds."""
        rest_of = _without_additions(given, shown)
        return self._plugin.is_like(name, given, rest_of)

    def _check_given(self, context: Context, given: Json) -> None:
        """Check that the service has what it was given."""
        live = self._live(context)
        given = {k: v for k, v in given.items() if v is not None}
        for name in self._differing(given, live):
            if not self._is_within(name, given[name], live[name]):
                raise AssertionError(f"{name}: {given[name]} is {live[name]}")
        for name in given:
            is_read = self._kind.table.fields[name].is_read
            if is_read and name not in live:
                raise AssertionError(f"{name} is not read")

    def _check_found(self, context: Context) -> None:
        if self._kind.table.host:
            # To create it again is harmless.
            return
        lost = dataclasses.replace(
            context, physical_id=None, is_outcome_unknown=True
        )
        try:
            found = self._plugin.find(lost)
        except call_context.OutcomeUnknown:
            if self._kind.table.token_key:
                raise
            return
        if _with_result(lost, found).physical_id != context.physical_id:
            raise AssertionError(f"{context.physical_id}: found {found}")

    def _check_adopted(self, context: Context) -> None:
        given = call_context.AdoptedResource(
            physical_id=context.physical_id, data={}, metadata={}
        )
        unknown = dataclasses.replace(context, physical_id=None)
        found = self._plugin.handle_adopt(unknown, given)
        if found.physical_id != context.physical_id:
            raise AssertionError(f"{context.physical_id} is adopted: {found}")
        if self._kind.table.host:
            return
        identifier = self._words.get("missing") or str(uuid.uuid4())
        missing = dataclasses.replace(given, physical_id=identifier)
        try:
            self._plugin.handle_adopt(unknown, missing)
        except rest.CloudNotFound:
            return
        raise AssertionError("a missing one is adopted")

    def _check_observed(self, context: Context) -> None:
        """Check that a list shows what reading one does."""
        found = self._plugin.observe([context])
        if found is None or found[0] is reality.UNLISTED:
            return
        live = self._live(context)
        shown = found[0]
        if not isinstance(shown, collections.abc.Mapping):
            raise AssertionError(f"a list shows {shown!r}")
        if shown.keys() != live.keys() or self._differing(shown, live):
            raise AssertionError(f"a list shows {shown}, not {live}")

    def _new(self, names: list[str]) -> Json:
        """Return other values of properties, with what they need."""
        new = {name: self._value(name, 1) for name in names}
        for name in names:
            new |= self._together(name)
        return new

    def _moved(self, names: list[str]) -> set[str]:
        """Return what the service changes together with properties."""
        moves = self._words.get("moves", {})
        return {each for name in names for each in moves.get(name, ())}

    def _check_changed(self, context: Context, names: list[str]) -> None:
        """Change properties, let them drift, repair and remove them."""
        fresh, before = self._live(context), context.properties
        new = self._new(names)
        after = self._updated(context, new)
        try:
            self._check_given(after, new)
            self._check_drift(after, names, dict(before))
        finally:
            back = {each: before.get(each) for each in new}
            restored = self._updated(after, back)
        live = self._live(restored)
        moved = self._moved(names) | {
            each
            for each in names
            if self._kind.table.fields[each].ignores_removal
            and before.get(each) is None
        }
        left = set(self._differing(live, fresh)) - moved
        if left:
            shown = [(name, fresh[name], live[name]) for name in sorted(left)]
            raise AssertionError(f"taken away: {shown}")

    def _check_drift(
        self, context: Context, names: list[str], before: Json
    ) -> None:
        """Let others change properties; see that, and repair it."""
        baseline, given = self._live(context), context.properties
        others = {name: self._value(name, 0) for name in names}
        for name in names:
            if self._plugin.is_like(name, others[name], given[name]):
                raise AssertionError(f"both values of {name} are alike")
            others |= {
                each: before[each]
                for each in self._together(name)
                if before.get(each) is not None
            }
        self._updated(context, others)
        live = self._live(context)
        seen = set(self._differing(live, baseline))
        expected = others.keys() & baseline.keys()
        if seen - (self._moved(names) - expected) != expected:
            raise AssertionError(f"drift of {sorted(expected)}: {seen}")
        self._update(context, {**given, **others, **live}, seen)
        live = self._live(context)
        left = [
            name
            for name in self._differing(live, baseline)
            if not self._is_within(name, given.get(name), live[name])
        ]
        if left:
            raise AssertionError(f"repaired: {left} differ")

    def _updated(self, context: Context, changed: Json) -> Context:
        before = context.properties
        names = {name for name in changed if changed[name] != before.get(name)}
        after = dataclasses.replace(context, properties={**before, **changed})
        return self._update(after, before, names) if names else after

    def _update(
        self,
        context: Context,
        before: collections.abc.Mapping[str, object],
        names: collections.abc.Set[str],
    ) -> Context:
        result = persist(
            lambda: self._plugin.update(context, before, sorted(names))
        )
        context = _with_result(context, result)
        persist_until_done(self._plugin.is_updated, context)
        return context

    def _check_replaced(self, context: Context, names: list[str]) -> None:
        """Check that other values make another resource."""
        new = self._new(names)
        made = self._service.created(
            self._plugin, {**context.properties, **new}
        )
        try:
            self._check_given(made, new)
        finally:
            self._service.removed(self._plugin, made)
        persist_until_done(self._plugin.check, context)

    def _check_deleted(self, context: Context) -> None:
        self._service.removed(self._plugin, context)
        self._service.removed(self._plugin, context)
        if self._kind.table.host:
            # What it is of is there without it.
            return
        try:
            live = self._plugin.get_reality(context)
        except reality.Vanished:
            return
        raise AssertionError(f"{live} is left")
