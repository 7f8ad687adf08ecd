"""The cases of a type that follow from its data, on a real service.

They are those that :mod:`tests.unit.resources.openstack.test_generated_types`
plays on a fake. What the schema cannot say of values is in files of samples.
"""

import collections.abc
import contextlib
import dataclasses
import typing
import uuid

from orch import errors
from orch.clients import rest
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import schema
from tests.cloud import sampled_service
from tests.unit.resources.openstack import values

Json = dict[str, typing.Any]
Context = call_context.Context


class Cases:
    """The cases of one type.

    :ivar faults: what was not as it should be, a text each
    """

    def __init__(self, service: sampled_service.Service, name: str) -> None:
        self.faults: list[str] = []
        self._service = service
        self._plugin = service.plugin(name)
        self._kind = type(self._plugin)
        self._words: Json = service.samples.types[name]

    def play(self) -> None:
        """Play all cases; after one that fails the next one."""
        for name in self._words.get("needs", ()):
            self._service.resolve(f"{sampled_service.FIXTURE}{name}")
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
        found = sampled_service.persist(
            lambda: self._plugin.get_reality(context)
        )
        return dict(found or {})

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
        if (
            sampled_service.with_result(lost, found).physical_id
            != context.physical_id
        ):
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
        result = sampled_service.persist(
            lambda: self._plugin.update(context, before, sorted(names))
        )
        context = sampled_service.with_result(context, result)
        sampled_service.persist_until_done(self._plugin.is_updated, context)
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
        sampled_service.persist_until_done(self._plugin.check, context)

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
