"""Which attributes of a resource are sensitive."""

import collections.abc
import functools

from orch import redacted
from orch.model import flat_fields
from orch.model import marked
from orch.model import resource as model_resource
from orch.plugin import nested_stack
from orch.plugin import resource


class Attributes:
    """The attributes of one resource: which of them are sensitive.

    What its properties say of that is found once, at the first question.
    """

    def __init__(
        self,
        plugin: resource.Resource | None,
        properties: collections.abc.Mapping[str, object],
    ) -> None:
        """Prepare to answer.

        :param plugin: of the type; ``None`` where that is not served any more
        :param properties: of the resource, with their marks
        """
        self._plugin = plugin
        self._properties = properties
        self._marks = marked.paths_of(properties)

    def is_sensitive(self, attribute: str | None, value: object) -> bool:
        """Whether an attribute, or a part of one, is sensitive.

        It is where its type says so, where it has the name of a secret, where
        the property of its name is sensitive, and where it has the text of a
        sensitive property in it, elsewhere than under the name of a secret.

        :param attribute: ``None`` for what ``get_resource`` gives
        """
        plugin = self._plugin
        if attribute is None:
            if plugin is not None and plugin.has_sensitive_reference:
                return True
        else:
            steps = _steps(attribute)
            if any(map(flat_fields.is_secret, steps)):
                return True
            if steps and steps[0] in marked.names(self._marks):
                return True
            if plugin is not None and any(
                each.is_sensitive and each.name in steps[:1]
                for each in plugin.attributes
            ):
                return True
        if self._redactor is None:
            return False
        unnamed = marked.redact(value, tuple(marked.find_named(value)))
        return _has_value(unnamed, self._redactor)

    @functools.cached_property
    def _redactor(self) -> redacted.Redactor | None:
        """What finds sensitive properties; ``None`` if there are none."""
        properties = self._properties
        marks = (*self._marks, *marked.find_named(properties))
        if not marks:
            return None
        return redacted.Redactor(marked.texts(properties, marks))


def is_attribute_sensitive(
    plugin: resource.Resource | None,
    properties: collections.abc.Mapping[str, object],
    attribute: str | None,
    value: object,
) -> bool:
    """Whether one attribute is sensitive; see :class:`Attributes`."""
    return Attributes(plugin, properties).is_sensitive(attribute, value)


def _steps(attribute: str) -> list[str]:
    try:
        return [str(each) for each in nested_stack.parse_path_key(attribute)]
    except ValueError:
        # A name that begins as the path of a child stack does, and is none.
        return [attribute]


def list_sensitive(
    plugin: resource.Resource | None, row: model_resource.Resource
) -> frozenset[str]:
    """Return the names of the stored attributes that are sensitive."""
    if not row.attributes:
        return frozenset()
    named = marked.names(marked.paths_of(row.attributes))
    attributes = Attributes(plugin, row.properties)
    return frozenset(
        name
        for name, value in row.attributes.items()
        if name in named or attributes.is_sensitive(name, value)
    )


def is_row_sensitive(
    plugin: resource.Resource | None,
    row: model_resource.Resource,
    attribute: str | None,
    value: object,
) -> bool:
    """Whether an attribute of a stored resource is sensitive."""
    if attribute in marked.names(marked.paths_of(row.attributes)):
        return True
    return is_attribute_sensitive(plugin, row.properties, attribute, value)


def has_text(value: object, texts: collections.abc.Iterable[str]) -> bool:
    """Whether one of the texts is in a value."""
    return _has_value(value, redacted.Redactor(texts))


def _has_value(value: object, redactor: redacted.Redactor) -> bool:
    return any(redactor.has_value(each) for each in redacted.find_texts(value))
