"""What types need for their cases on real services: a file for each service.

The files are in ``tests/cloud/samples``.
"""

import functools
import json
import pathlib
import typing

Json = dict[str, typing.Any]

_FILES: typing.Final = pathlib.Path(__file__).parent / "samples"


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
