"""What is sensitive in the inputs of a child stack.

Its resource knows that of its own properties. A plug-in makes parameters and
a template of them, so the same texts are looked for there.
"""

import collections.abc
import dataclasses
import re

from orch import errors
from orch import redacted
from orch.model import marked
from orch.template import inputs as template_inputs
from orch.template import source

_VARIABLE = re.compile(r"%[^%\s]{1,50}%")
"""What a group puts the number of a member for."""


def mark_inputs(
    inputs: template_inputs.Inputs,
    properties: collections.abc.Mapping[str, object],
    metadata: collections.abc.Mapping[str, object],
    referred: collections.abc.Mapping[str, object],
    *,
    is_file: bool = False,
) -> template_inputs.Inputs:
    """Return the inputs of a child stack, what is sensitive marked.

    :param properties: of the resource that holds the stack, with their marks
    :param metadata: of that resource
    :param referred: properties of a resource that it refers to, which its
        plug-in uses too
    :param is_file: the template is a file, in which nothing was put
    """
    marks = marked.paths_of(properties)
    texts = marked.texts(properties, marks).union(
        marked.texts(referred, marked.paths_of(referred))
    )
    is_facade = bool(marked.paths_of(metadata))
    if inputs.around is None or not (marks or texts or is_facade):
        return inputs
    pieces = {
        piece
        for text in texts
        for piece in _VARIABLE.split(text)
        if len(piece) >= redacted.SHORTEST
    }
    redactor = redacted.Redactor(texts | pieces)

    def is_sensitive(value: object) -> bool:
        if value is None or isinstance(value, bool):
            return False
        return redactor.has_value(str(value))

    # Parameters are properties, or entries of one property.
    given = {step for path in marks for step in (path[0], path[-1])}
    around = dataclasses.replace(
        inputs.around,
        sensitive_parameters=tuple(
            name
            for name, value in inputs.parameters.items()
            if name in given or [*marked.find(value, is_sensitive)]
        ),
        sensitive_parts=()
        if is_file
        else tuple(_find_parts(inputs, properties, is_sensitive)),
        has_sensitive_facade=is_facade,
    )
    return dataclasses.replace(inputs, around=around)


def _find_parts(
    inputs: template_inputs.Inputs,
    properties: collections.abc.Mapping[str, object],
    is_sensitive: collections.abc.Callable[[object], bool],
) -> collections.abc.Iterator[marked.Path]:
    """Yield the paths of what is sensitive in a template that is no file.

    A text that is a property is as it was written, or sensitive as a whole.
    """
    found: object = inputs.template
    if isinstance(found, str):
        is_property = found in properties.values()
        marks = marked.paths_of(properties)
        if is_property and found not in marked.parts(properties, marks):
            return
        limits = template_inputs.Limits(template_size=-1)
        try:
            found = source.read_template(found, limits).root
        except errors.OrchError:
            return
        if is_property:
            yield from marked.find_leaves(found, depth=2)
    yield from marked.find(found, is_sensitive)
