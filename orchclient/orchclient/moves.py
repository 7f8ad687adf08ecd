"""Moves of resources from one stack to another."""

import collections.abc
import dataclasses

from orchclient import models
from orchclient import packaging
from orchclient import plans
from orchclient import request_bodies
from orchclient import response_parser
from orchclient import stack_lookup
from orchclient import transport

Names = collections.abc.Mapping[str, str] | collections.abc.Sequence[str]


@dataclasses.dataclass(frozen=True, slots=True)
class Side:
    """One of the two stacks of a move, and its update."""

    stack: models.StackIdentity
    operation_id: str


@dataclasses.dataclass(frozen=True, slots=True)
class Move:
    """An accepted move: its resources and both stacks.

    :ivar resources: names in the source, to names in the target
    :ivar updates: of the root stacks; source and target have them themselves
        unless they are child stacks
    """

    resources: collections.abc.Mapping[str, str]
    source: Side
    target: Side
    updates: tuple[Side, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class MovePreview:
    """What both stacks would do after the move."""

    resources: collections.abc.Mapping[str, str]
    source: plans.Plan
    target: plans.Plan


class Moves:
    """Moves resources between stacks; physical resources do not change."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def preview(
        self,
        source: models.Which,
        target: models.Which,
        resources: Names,
        *,
        source_template: packaging.Document | None = None,
        target_template: packaging.Document | None = None,
    ) -> MovePreview:
        """Preview a move.

        :param target: also the path of a child stack, ``site/web``
        """
        body = self._body(target, resources, source_template, target_template)
        found = stack_lookup.identify_stack(self._sender, source)
        answer = self._sender.ask("POST", f"{found.path}/move/preview", body)
        content = response_parser.get_map(answer, "move")
        return MovePreview(
            _resource_names(content),
            plans.Plan.of(response_parser.get_map(content, "source")),
            plans.Plan.of(response_parser.get_map(content, "target")),
        )

    def move(
        self,
        source: models.Which,
        target: models.Which,
        resources: Names,
        *,
        source_template: packaging.Document | None = None,
        target_template: packaging.Document | None = None,
    ) -> Move:
        """Move resources; both stacks are updated then.

        :param target: also the path of a child stack, ``site/web``
        :param resources: names in the source, to names in the target where
            those differ
        :param source_template: what the source declares from then on; by
            default what it did without these resources
        :param target_template: what the target declares from then on
        :raises orchclient.errors.ConflictError: nothing has moved; the
            message says what prevents it
        """
        body = self._body(target, resources, source_template, target_template)
        found = stack_lookup.identify_stack(self._sender, source)
        answer = self._sender.ask_once("POST", f"{found.path}/move", body)
        content = response_parser.get_map(answer, "move")
        project = found.project_id
        return Move(
            _resource_names(content),
            _side(response_parser.get_map(content, "source"), project),
            _side(response_parser.get_map(content, "target"), project),
            tuple(
                _side(each, project)
                for each in response_parser.get_maps(content, "updates")
            ),
        )

    def _body(
        self,
        target: models.Which,
        resources: Names,
        source_template: packaging.Document | None,
        target_template: packaging.Document | None,
    ) -> request_bodies.Body:
        named: object = list(resources)
        if isinstance(resources, collections.abc.Mapping):
            named = dict(resources)
        is_path = isinstance(target, str) and "/" in target
        return {
            "target": target
            if is_path
            else stack_lookup.identify_stack(self._sender, target).id,
            "resources": named,
            **request_bodies.without_absent(
                source_template=source_template,
                target_template=target_template,
            ),
        }


def _resource_names(content: response_parser.Json) -> dict[str, str]:
    found = response_parser.get_map(content, "resources")
    return {old: str(new) for old, new in found.items()}


def _side(body: response_parser.Json, project_id: str) -> Side:
    stack = models.StackIdentity(
        response_parser.required_text(body, "stack_name"),
        response_parser.required_text(body, "stack_id"),
        project_id,
    )
    return Side(stack, response_parser.required_text(body, "operation_id"))
