"""Redacts sensitive values in what leaves a stack.

Values know what is sensitive in them (``model.marked``). In texts, and in
values that a service has made, all sensitive texts of the tree are looked
for.
"""

import collections.abc
import dataclasses
import typing

from orch import redacted
from orch.model import flat_fields
from orch.model import marked
from orch.model import observation
from orch.model import presigned
from orch.template import template
from orch.template import world

HIDDEN: typing.Final = redacted.TEXT
_LATER: typing.Final = {"known_later": True}

Values = collections.abc.Mapping[str, object]


def is_known_later(shown: object) -> bool:
    """Whether a shown value comes into being only with the run."""
    return shown == _LATER


class Redaction:
    """What is redacted in one stack.

    :ivar parameters: names of those whose values are sensitive
    :ivar is_blind: what is sensitive cannot be known, so everything is
    """

    def __init__(
        self,
        texts: collections.abc.Iterable[str] = (),
        *,
        parameters: collections.abc.Iterable[str] = (),
        is_blind: bool = False,
        is_plain: bool = False,
    ) -> None:
        """Prepare to look for these texts.

        :param is_plain: for documents that Heat answers to users who may
            look at the stack: names of secrets, and addresses that are proof
            by themselves, stay
        """
        self.texts = frozenset(texts)
        self.parameters = frozenset(parameters)
        self.is_blind = is_blind
        self._is_plain = is_plain
        self._redactor = redacted.Redactor(self.texts)

    def values(self, values: Values) -> dict[str, object]:
        """Return values by name, by their marks."""
        return {
            name: self.part(values, name, value)
            for name, value in values.items()
        }

    def part(self, values: Values, name: str, value: object) -> object:
        """Return another value of one of the names, by the same marks."""
        if not self._is_plain and flat_fields.is_secret(name):
            return None if value is None else HIDDEN
        return self.value(value, marked.below(marked.paths_of(values), name))

    def value(self, value: object, paths: marked.Paths = ()) -> object:
        """Return a value as JSON, what is sensitive redacted.

        A map is redacted by its own marks too.

        ``{"known_later": true}`` stands for what comes into being only with
        the run.

        :param paths: of what is sensitive, beside what is found
        """
        if value is None:
            return None
        if self.is_blind and value is not world.UNKNOWN:
            return HIDDEN
        paths = (*paths, *marked.paths_of(value))
        if not self._is_plain:
            paths = (*paths, *marked.find_named(value))
        return self._found(marked.redact(value, paths))

    def template(
        self, parsed_template: template.Template
    ) -> dict[str, object]:
        """Return the template itself: literals and defaults are redacted."""
        paths = parsed_template.sensitive_parts
        if not self._is_plain:
            paths = (*paths, *parsed_template.secret_literals)
        return typing.cast(
            dict[str, object],
            self._found(marked.redact(parsed_template.raw, paths)),
        )

    def differences(
        self,
        values: Values,
        found: collections.abc.Iterable[observation.Difference],
    ) -> tuple[observation.Difference, ...]:
        """Return what has drifted, by the marks of the stored values."""
        return tuple(
            dataclasses.replace(
                each,
                expected=self.part(values, each.property, each.expected),
                live=self.part(values, each.property, each.live),
            )
            for each in found
        )

    def extended(self, texts: collections.abc.Iterable[str]) -> "Redaction":
        """Return a redaction that looks for more texts."""
        return Redaction(
            self.texts.union(texts),
            parameters=self.parameters,
            is_blind=self.is_blind,
            is_plain=self._is_plain,
        )

    def text(self, text: str) -> str:
        """Return a text, as reasons of failures are.

        Short values that are looked for as a whole only stay inside of it.
        """
        if self.is_blind:
            return text and HIDDEN
        found = self._redactor.redact(text)
        return found if self._is_plain else presigned.redact_presigned(found)

    def has(self, text: str) -> bool:
        """Whether something sensitive is in a text, or may be."""
        return self.is_blind or self._redactor.has_value(text)

    def physical_id(self, physical_id: str | None) -> str | None:
        """Return a physical id; ``******`` where it has something of it."""
        if not physical_id:
            return physical_id
        if self.has(physical_id) or presigned.has_presigned(physical_id):
            return HIDDEN
        return physical_id

    def _found(self, value: object) -> object:
        """Return a value without the texts that are looked for."""
        if isinstance(value, str):
            if self.texts and self.has(value):
                return HIDDEN
            return (
                value if self._is_plain else presigned.redact_presigned(value)
            )
        if value is world.UNKNOWN:
            return dict(_LATER)
        if isinstance(value, collections.abc.Mapping):
            return {
                self._found(key) if isinstance(key, str) else key: self._found(
                    each
                )
                for key, each in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._found(each) for each in value]
        if value is None or isinstance(value, bool):
            return value
        return HIDDEN if self.texts and self.has(str(value)) else value


BLIND: typing.Final = Redaction(is_blind=True)
"""Redacts everything."""
