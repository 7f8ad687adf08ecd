"""Decide whether a resource has drifted, by what was read of it.

The observer, a check, an update and an acceptance all compare here: live
properties with those after our last change, under the drift policies.
"""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch import errors
from orch import ids
from orch.model import drift_policy
from orch.model import observation
from orch.model import resource as model_resource
from orch.planner import survey
from orch.plugin import no_physical_resource
from orch.plugin import reality
from orch.plugin import registry
from orch.plugin import resource

_State = observation.State
_Policy = observation.Policy
Differences = tuple[observation.Difference, ...]

_COMPARED: typing.Final = frozenset({_State.DRIFTED, _State.IN_SYNC})

NOT_COMPLETE: typing.Final = "It was never made, or its making has failed"
NOT_OURS: typing.Final = "It does not belong to the stack"
IGNORED: typing.Final = "It has vanished, which its policy says to ignore"
_NOT_SERVED: typing.Final = "No plug-in serves {}"
_READS_NONE: typing.Final = "{} cannot read its physical resources"
_NOT_READ: typing.Final = "{} cannot read this physical resource"
BLOCKED: typing.Final = (
    "It is not repaired, as that would change what policies leave"
)
CHANGED_SINCE: typing.Final = (
    "It was changed by the stack since it was observed"
)


def find_drift(
    types: registry.Types,
    row: model_resource.Resource,
    answer: reality.Answer,
) -> observation.Drift:
    """Return whether a physical resource has drifted, and in what.

    Properties that the baseline lacks are compared with those that the
    resource was given; those that neither has are not compared.

    :param answer: what was read of the physical resource
    """
    plugin = types.find(row.plugin_type)
    if plugin is None:
        return observation.Drift(
            state=_State.UNKNOWN,
            given=sum(each is not None for each in row.properties.values()),
            reason=_NOT_SERVED.format(row.plugin_type),
        )
    if has_no_physical_resource(plugin):
        return observation.Drift(state=_State.NOTHING)
    if row.external_id is not None:
        return observation.Drift(state=_State.NOTHING, reason=NOT_OURS)
    given = plugin.list_comparable(row.properties)
    found = observation.Drift(
        state=_State.UNKNOWN,
        given=len(given),
        reason=_unknown_reason(plugin, row, answer),
    )
    if found.reason:
        return found
    if isinstance(answer, reality.Vanished):
        return dataclasses.replace(
            found,
            state=_State.DRIFTED,
            is_vanished=True,
            compared=len(given),
        )
    assert isinstance(answer, collections.abc.Mapping)
    try:
        differences = tuple(_differences(plugin, row, answer))
    except Exception as error:
        # One plug-in that fails must not hide what is known of the others.
        reason = f"Its properties cannot be compared: {_describe_error(error)}"
        return dataclasses.replace(found, reason=reason)
    return dataclasses.replace(
        found,
        state=_State.DRIFTED if differences else _State.IN_SYNC,
        differences=differences,
        compared=sum(name in answer for name in given),
    )


def has_drifted(
    types: registry.Types,
    row: model_resource.Resource,
    answer: reality.Answer,
) -> bool:
    """Whether a physical resource has drifted, whatever policies say of it."""
    return find_drift(types, row, answer).state is _State.DRIFTED


def has_no_physical_resource(plugin: resource.Resource) -> bool:
    """Whether such resources have no physical resource of their own.

    The resources of a child stack are read by that stack.
    """
    return plugin.is_nested_stack or isinstance(
        plugin, no_physical_resource.NoPhysicalResource
    )


def _unknown_reason(
    plugin: resource.Resource,
    row: model_resource.Resource,
    answer: reality.Answer,
) -> str:
    """Return why nothing can be compared; empty when something can."""
    if not survey.is_reportable(row):
        return NOT_COMPLETE
    if not plugin.has_reality:
        return _READS_NONE.format(row.type_name)
    if answer is None:
        return _NOT_READ.format(row.type_name)
    if isinstance(answer, reality.Vanished):
        return ""
    if isinstance(answer, errors.OrchError):
        return answer.message or type(answer).__name__
    return ""


def _differences(
    plugin: resource.Resource,
    row: model_resource.Resource,
    live: reality.Reality,
) -> collections.abc.Iterator[observation.Difference]:
    baseline = row.baseline or {}
    for name in sorted(live):
        if name in baseline:
            expected = baseline[name]
        elif row.properties.get(name) is not None:
            expected = row.properties[name]
        else:
            continue
        if not plugin.is_like(name, expected, live[name]):
            yield observation.Difference(
                property=name, expected=expected, live=live[name]
            )


def _describe_error(error: Exception) -> str:
    """Return what users may know of an error; others may hold values."""
    if isinstance(error, errors.OrchError):
        return error.message
    return type(error).__name__


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ObservedResource:
    """One resource with its observation, once drift policies are applied.

    :ivar path: of the resource, from the root
    :ivar before: its last observation
    :ivar after: the one to store
    :ivar accepted: differences that become the baseline
    :ivar ignored: names of properties whose drift does not count
    """

    row: model_resource.Resource
    path: str
    before: observation.Observation | None
    after: observation.Observation
    accepted: Differences = ()
    ignored: frozenset[str] = frozenset()

    @property
    def has_error(self) -> bool:
        """Whether the reason may be the error of a plug-in."""
        if self.after.state is not _State.UNKNOWN:
            return False
        return self.after.reason not in {
            "",
            NOT_COMPLETE,
            IGNORED,
            CHANGED_SINCE,
            _NOT_SERVED.format(self.row.plugin_type),
            _READS_NONE.format(self.row.type_name),
            _NOT_READ.format(self.row.type_name),
        }

    @property
    def new_baseline(self) -> dict[str, object]:
        """The baseline once its drift is accepted."""
        live = {each.property: each.live for each in self.accepted}
        return {**(self.row.baseline or {}), **live}

    @property
    def all_differences(self) -> Differences:
        """The differences from the baseline before its drift is accepted."""
        lasting = {each.property: each for each in self.after.differences}
        accepted = {
            each.property: dataclasses.replace(
                each, live=lasting.get(each.property, each).live
            )
            for each in self.accepted
        }
        return tuple({**lasting, **accepted}.values())

    def with_accepted(self) -> observation.Observation:
        """Return the observation in which accepted drift lasts as well."""
        if not self.accepted:
            return self.after
        return dataclasses.replace(
            self.after,
            state=_State.DRIFTED,
            differences=self.all_differences,
            drifted_at=(
                self.after.observed_at
                if self.before is None
                else self.before.drifted_at
            ),
        )

    @property
    def state_before(self) -> observation.State | None:
        """The state that was known until now; ``None`` for none."""
        if self.before is None:
            return None
        return current_observation(self.row, self.before).state


class Comparison:
    """Compare resources of one tree with what was read of them."""

    def __init__(
        self,
        root_id: ids.StackId,
        types: registry.Types,
        policy: observation.Values,
        now: clock.Timestamp,
        holders: collections.abc.Container[str] = (),
        *,
        accepts: bool = True,
    ) -> None:
        """Compare nothing yet.

        :param policy: the policy of the tree, as its watch has it
        :param now: when it was read, by the database's clock
        :param holders: ids of the resources that have a child stack
        :param accepts: policies may accept drift; in an update they do not
        """
        self._accepts = accepts
        self.now = now
        self._root_id = root_id
        self._types = types
        self._policies = drift_policy.Policies(policy)
        self._holders = holders

    def compare(
        self,
        row: model_resource.Resource,
        path: str,
        answer: reality.Answer,
        before: observation.Observation | None,
    ) -> ObservedResource:
        """Return one resource with the observation to store.

        :param path: of the resource, from the root
        :param answer: what was read of its physical resource
        :param before: its last observation; one that cannot be read now keeps
            the drift of that
        """
        found = observation.Drift(state=_State.NOTHING)
        if row.id not in self._holders:
            found = find_drift(self._types, row, answer)
        if (
            found.is_vanished
            and self._policies.of_resource(path) is _Policy.IGNORE
        ):
            found = observation.Drift(
                state=_State.UNKNOWN, given=found.given, reason=IGNORED
            )
        divided = [
            self._policies.sort(path, each, accepts=self._accepts)
            for each in found.differences
        ]
        hidden: Differences = ()
        if found.state in _COMPARED:
            hidden = self._list_hidden(row, path, answer, before)
        counted = (
            *self._left(row, [each.counted for each in divided]),
            *hidden,
        )
        accepted = self._left(row, [each.accepted for each in divided])
        ignored = frozenset(
            each.property for each in found.differences
        ).difference(each.property for each in (*counted, *accepted))
        blocked = [name for each in divided for name in each.blocked]
        if found.differences or hidden:
            found = dataclasses.replace(
                found,
                state=_State.DRIFTED if counted else _State.IN_SYNC,
                differences=counted,
                reason=f"{BLOCKED}: {', '.join(blocked)}"
                if counted and blocked
                else "",
            )
        if found.compared and not found.is_vanished:
            count = self._count_ignored(row, path, answer)
            found = dataclasses.replace(found, compared=found.compared - count)
        return ObservedResource(
            row=row,
            path=path,
            before=before,
            after=self._observation(row, found, answer, before),
            accepted=accepted,
            ignored=ignored,
        )

    def _list_hidden(
        self,
        row: model_resource.Resource,
        path: str,
        answer: reality.Answer,
        before: observation.Observation | None,
    ) -> Differences:
        """Return the known drift of properties that are not shown now.

        It lasts, and nothing can repair it before it is shown again.
        """
        if (
            before is None
            or before.drifted_at is None
            or not isinstance(answer, collections.abc.Mapping)
            or is_changed_since(row, before)
        ):
            return ()
        return tuple(
            dataclasses.replace(each, policy=_Policy.REPORT)
            for each in before.differences
            if each.property not in answer
            and self._policies.of_property(path, each.property)
            is not _Policy.IGNORE
        )

    def _left(
        self,
        row: model_resource.Resource,
        parts: collections.abc.Iterable[observation.Difference | None],
    ) -> Differences:
        """Return the parts that the type takes for differences."""
        plugin = self._types.find(row.plugin_type)
        return tuple(
            each
            for each in parts
            if each is not None
            and (
                plugin is None
                or not plugin.is_like(each.property, each.expected, each.live)
            )
        )

    def _count_ignored(
        self, row: model_resource.Resource, path: str, answer: reality.Answer
    ) -> int:
        """Return how many properties were read that policies ignore."""
        plugin = self._types.find(row.plugin_type)
        if plugin is None or not isinstance(answer, collections.abc.Mapping):
            return 0
        return sum(
            name in answer
            and self._policies.of_property(path, name) is _Policy.IGNORE
            for name in plugin.list_comparable(row.properties)
        )

    def _observation(
        self,
        row: model_resource.Resource,
        found: observation.Drift,
        answer: reality.Answer,
        before: observation.Observation | None,
    ) -> observation.Observation:
        since = None if before is None else before.drifted_at
        differences = found.differences
        drifted_at = None
        if found.state is _State.DRIFTED:
            if found.is_vanished and before and before.differences:
                # Until now it existed, and had drifted otherwise.
                since = None
            drifted_at = since or self.now
        elif found.state is _State.UNKNOWN and before is not None:
            drifted_at, differences = since, before.differences
        return observation.Observation(
            root_id=self._root_id,
            stack_id=row.stack_id,
            resource_id=row.id,
            state=found.state,
            is_vanished=found.is_vanished,
            live=(
                dict(answer)
                if isinstance(answer, collections.abc.Mapping)
                else None
            ),
            differences=differences,
            compared=found.compared,
            given=found.given,
            reason=found.reason,
            observed_at=self.now,
            drifted_at=drifted_at,
        )


def current_observation(
    row: model_resource.Resource, observed: observation.Observation
) -> observation.Observation:
    """Return an observation; its state is unknown if the row changed since.

    A check, a suspension, a resumption and a snapshot change no property.
    """
    if not is_changed_since(row, observed):
        return observed
    return dataclasses.replace(
        observed,
        state=_State.UNKNOWN,
        is_vanished=False,
        differences=(),
        compared=0,
        reason=CHANGED_SINCE,
    )


def is_changed_since(
    row: model_resource.Resource, observed: observation.Observation
) -> bool:
    """Whether the stack has changed a resource since its observation."""
    changed_at = row.updated_at if row.changed_at is None else row.changed_at
    return (
        observed.observed_at < changed_at
        and observed.state is not _State.NOTHING
    )
