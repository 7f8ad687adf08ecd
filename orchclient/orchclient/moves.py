"""Moves of resources from one stack to another."""

import collections.abc

from orchclient import models
from orchclient import packaging
from orchclient import request_bodies
from orchclient import response_parser
from orchclient import stack_lookup
from orchclient import transport
from orchclient.values import moves as values

Names = collections.abc.Mapping[str, str] | collections.abc.Sequence[str]
Side = values.Side
Move = values.Move
MoveUpdate = values.MoveUpdate
MovePreview = values.MovePreview


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
        return MovePreview.of(response_parser.get_map(answer, "move"))

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
        return Move.of(response_parser.get_map(answer, "move"))

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
