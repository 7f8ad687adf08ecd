"""Bodies of moves, with the templates that the client library writes."""

import collections.abc

import orchclient
from orchclient import move_inputs
from tests.support import rest

Names = collections.abc.Mapping[str, str] | collections.abc.Sequence[str]


def written(
    endpoint: str,
    source: rest.Stack,
    target: str,
    resources: Names,
    **given: object,
) -> rest.Json:
    """Return the whole body of a move.

    :param target: name, id or path of the target
    :param given: parts of the body; with any of the source nothing is written
    :raises orchclient.errors.PackagingError: the library cannot write it
    """
    names = (
        dict(resources)
        if isinstance(resources, collections.abc.Mapping)
        else {name: name for name in resources}
    )
    body = {"target": target, "resources": names, **given}
    if any(key.startswith("source_") for key in given):
        return body
    with orchclient.connect(endpoint=endpoint) as orch:
        writer = move_inputs.MoveWriter(orch.stacks, orch.resources)
        sides = zip(
            ("source", "target"),
            writer.write(source.id, target, names),
            strict=True,
        )
    return {
        **{
            f"{side}_{key}": value
            for side, inputs in sides
            for key, value in inputs.items()
        },
        **body,
    }
