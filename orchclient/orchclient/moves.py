"""Moves of resources from one stack to another."""

import collections.abc

from orchclient import models
from orchclient import move_inputs
from orchclient import request_bodies
from orchclient import resources as resources_
from orchclient import response_parser
from orchclient import stack_lookup
from orchclient import stacks as stacks_
from orchclient import transport
from orchclient.values import moves as values

Names = collections.abc.Mapping[str, str] | collections.abc.Sequence[str]
Inputs = collections.abc.Mapping[str, object]
"""What a stack gets, as the body of an update names it: template, files,
environment, environment_files, parameters. What it does not name stays."""
Side = values.Side
Move = values.Move
MoveUpdate = values.MoveUpdate
MovePreview = values.MovePreview


class Moves:
    """Moves resources between stacks; physical resources do not change."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender
        self._writer = move_inputs.MoveWriter(
            stacks_.Stacks(sender), resources_.Resources(sender)
        )

    def preview(
        self,
        source: models.Which,
        target: models.Which,
        resources: Names,
        *,
        source_inputs: Inputs | None = None,
        target_inputs: Inputs | None = None,
    ) -> MovePreview:
        """Preview a move; the parameters are those of :meth:`move`."""
        body = self._body(
            source, target, resources, source_inputs, target_inputs
        )
        found = stack_lookup.identify_stack(self._sender, source)
        answer = self._sender.ask("POST", f"{found.path}/move/preview", body)
        return MovePreview.of(response_parser.get_map(answer, "move"))

    def move(
        self,
        source: models.Which,
        target: models.Which,
        resources: Names,
        *,
        source_inputs: Inputs | None = None,
        target_inputs: Inputs | None = None,
    ) -> Move:
        """Move resources; both stacks are updated then.

        :param target: also the path of a child stack, ``site/web``
        :param resources: names in the source, to names in the target where
            those differ
        :param source_inputs: what the root stack of the source gets; by
            default its templates without these resources
        :param target_inputs: what the root stack of the target gets, if that
            is another one; by default its templates with these resources
        :raises orchclient.errors.PackagingError: the templates cannot be
            written here, and have to be given
        :raises orchclient.errors.ConflictError: nothing has moved; the
            message says what prevents it
        """
        body = self._body(
            source, target, resources, source_inputs, target_inputs
        )
        found = stack_lookup.identify_stack(self._sender, source)
        answer = self._sender.ask_once("POST", f"{found.path}/move", body)
        return Move.of(response_parser.get_map(answer, "move"))

    def _body(
        self,
        source: models.Which,
        target: models.Which,
        resources: Names,
        source_inputs: Inputs | None,
        target_inputs: Inputs | None,
    ) -> request_bodies.Body:
        names = (
            dict(resources)
            if isinstance(resources, collections.abc.Mapping)
            else {name: name for name in resources}
        )
        if source_inputs is None or target_inputs is None:
            inputs = self._writer.write(
                source, target, names, writes_source=source_inputs is None
            )
            source_inputs = (
                inputs[0] if source_inputs is None else source_inputs
            )
            target_inputs = (
                inputs[1] if target_inputs is None else target_inputs
            )
        is_path = isinstance(target, str) and "/" in target
        return {
            "target": target
            if is_path
            else stack_lookup.identify_stack(self._sender, target).id,
            "resources": names,
            **{f"source_{key}": each for key, each in source_inputs.items()},
            **{f"target_{key}": each for key, each in target_inputs.items()},
        }
