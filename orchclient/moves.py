"""Resources that go from one stack to another."""

import collections.abc
import dataclasses

from orchclient import identifying
from orchclient import packaging
from orchclient import plans
from orchclient import reading
from orchclient import requesting
from orchclient import transport
from orchclient import values

Names = collections.abc.Mapping[str, str] | collections.abc.Sequence[str]


@dataclasses.dataclass(frozen=True, slots=True)
class Side:
    """One of the two stacks, and the operation that follows."""

    stack: values.StackIdentity
    operation_id: str


@dataclasses.dataclass(frozen=True, slots=True)
class Move:
    """What has moved.

    :ivar resources: names in the source, to names in the target
    :ivar updates: of the outermost stacks; source and target have them
        themselves unless they are held by other stacks
    """

    resources: collections.abc.Mapping[str, str]
    source: Side
    target: Side
    updates: tuple[Side, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class MovePreview:
    """What both stacks would do once all has moved."""

    resources: collections.abc.Mapping[str, str]
    source: plans.Plan
    target: plans.Plan


class Moves:
    """Moves resources between stacks; their things stay as they are."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def preview(
        self,
        source: values.Which,
        target: values.Which,
        resources: Names,
        *,
        source_template: packaging.Document | None = None,
        target_template: packaging.Document | None = None,
    ) -> MovePreview:
        """Return what the same move would do.

        :param target: also the way to a stack in a stack, ``site/web``
        """
        body = self._body(target, resources, source_template, target_template)
        found = identifying.identify(self._sender, source)
        answer = self._sender.ask("POST", f"{found.path}/move/preview", body)
        told = reading.inner(answer, "move")
        return MovePreview(
            _names(told),
            plans.Plan.of(reading.inner(told, "source")),
            plans.Plan.of(reading.inner(told, "target")),
        )

    def move(
        self,
        source: values.Which,
        target: values.Which,
        resources: Names,
        *,
        source_template: packaging.Document | None = None,
        target_template: packaging.Document | None = None,
    ) -> Move:
        """Move resources; both stacks are updated then.

        :param target: also the way to a stack in a stack, ``site/web``
        :param resources: names in the source, to names in the target where
            those differ
        :param source_template: what the source declares from then on; by
            default what it did without these resources
        :param target_template: what the target declares from then on
        :raises orchclient.errors.ConflictError: nothing has moved; the
            message says what stands in the way
        """
        body = self._body(target, resources, source_template, target_template)
        found = identifying.identify(self._sender, source)
        answer = self._sender.ask_once("POST", f"{found.path}/move", body)
        told = reading.inner(answer, "move")
        project = found.project_id
        return Move(
            _names(told),
            _side(reading.inner(told, "source"), project),
            _side(reading.inner(told, "target"), project),
            tuple(
                _side(each, project) for each in reading.maps(told, "updates")
            ),
        )

    def _body(
        self,
        target: values.Which,
        resources: Names,
        source_template: packaging.Document | None,
        target_template: packaging.Document | None,
    ) -> requesting.Body:
        named: object = list(resources)
        if isinstance(resources, collections.abc.Mapping):
            named = dict(resources)
        is_path = isinstance(target, str) and "/" in target
        return {
            "target": target
            if is_path
            else identifying.identify(self._sender, target).id,
            "resources": named,
            **requesting.given(
                source_template=source_template,
                target_template=target_template,
            ),
        }


def _names(told: reading.Json) -> dict[str, str]:
    found = reading.inner(told, "resources")
    return {old: str(new) for old, new in found.items()}


def _side(body: reading.Json, project_id: str) -> Side:
    stack = values.StackIdentity(
        reading.needed_text(body, "stack_name"),
        reading.needed_text(body, "stack_id"),
        project_id,
    )
    return Side(stack, reading.needed_text(body, "operation_id"))
