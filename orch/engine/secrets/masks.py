"""Hides from people what users gave as hidden parameters.

A value is hidden where the template may put a hidden parameter into it, and
wherever it holds the text of one, or of a piece that a function has cut out
of it: attributes carry such texts on.
"""

import collections.abc
import functools
import typing

from orch import errors
from orch.engine.secrets import generated
from orch.engine.secrets import named
from orch.engine.secrets import references
from orch.engine.secrets import taint
from orch.engine.secrets import texts as sensitive_texts
from orch.model import presigned
from orch.template import derived_texts
from orch.template import template
from orch.template import world
from orch.template.parameters import values

HIDDEN: typing.Final = values.HIDDEN
KNOWN_LATER: typing.Final = "known_later"


class Masks:
    """What is hidden by the templates of one stack, old and new."""

    def __init__(
        self,
        templates: collections.abc.Iterable[template.Template],
        *,
        is_blind: bool = False,
        texts: collections.abc.Iterable[str] = (),
        around: "Masks | None" = None,
        resource: str = "",
        is_strict: bool = False,
    ) -> None:
        """Look at the hidden parameters of these templates.

        :param is_blind: another one cannot be read, so all may be hidden
        :param texts: what other templates hide, or resources have made up
        :param around: what the stack around hides
        :param resource: that stands there for the stack
        :param is_strict: for eyes that may see nothing of the stack
            otherwise: what is made of an attribute of a resource is suspect
            where that was given something hidden, or makes up a secret, and
            so are addresses that are proof by themselves, and literals under
            the name of a secret
        """
        self._is_blind = is_blind or (around is not None and around.is_blind)
        self._is_strict = is_strict
        self._around = around
        self._resource = resource
        self._templates = list(templates)
        self._others = frozenset(texts)
        self._texts = sensitive_texts.SensitiveTexts(
            self._others.union(*map(hidden_texts, self._templates))
        )
        if is_strict:
            for each in self._templates:
                self._texts.add_literals(named.find_literals(each))
        if around is not None:
            self._texts.add_all_of(around._texts)
        self._names = [self._names_in(each) for each in self._templates]
        for parsed_template, names in zip(
            self._templates, self._names, strict=True
        ):
            if names:
                self._texts.add_pieces(
                    (
                        *taint.derived_texts(parsed_template, names),
                        *self._given_to(parsed_template, names),
                    )
                )

    def within(
        self, templates: collections.abc.Iterable[template.Template]
    ) -> "Masks":
        """Return masks that cover what templates of inner stacks hide too."""
        return Masks(
            [*self._templates, *templates],
            is_blind=self._is_blind,
            texts=self._others,
            around=self._around,
            resource=self._resource,
            is_strict=self._is_strict,
        )

    def below(
        self,
        resource: str,
        templates: collections.abc.Iterable[template.Template],
        *,
        is_blind: bool = False,
    ) -> "Masks":
        """Return the masks of the child stack of a resource.

        :param templates: of the child stack, old and new
        :param is_blind: another one cannot be read
        """
        return Masks(
            templates,
            is_blind=is_blind,
            around=self,
            resource=resource,
            is_strict=self._is_strict,
        )

    @property
    def is_blind(self) -> bool:
        """Whether anything may be hidden, for want of its template."""
        return self._is_blind

    @property
    def is_idle(self) -> bool:
        """Whether nothing at all is hidden."""
        return not (self._is_blind or self._has_any)

    @property
    def is_anywhere(self) -> bool:
        """Whether anything in the stack may be hidden, its template too."""
        return self._is_blind or any(
            each.is_anywhere for each in self._hidings
        )

    def hides(
        self,
        resource: str,
        name: str,
        names: collections.abc.Container[str],
    ) -> bool:
        """Answer whether something hidden goes into a property.

        :param names: of all properties that the resource has
        """
        if not self._has_any:
            return self._is_blind
        return (
            self._is_blind
            or self._is_altered_anywhere
            or any(
                references.mentions(
                    taint.written(parsed_template, resource, name, names),
                    hidden,
                )
                for parsed_template, hidden in zip(
                    self._templates, self._names, strict=True
                )
                if hidden
            )
            or self._alters(resource, name, names)
            or self._takes_secret(resource, name, names)
        )

    def suspects(
        self,
        resource: str,
        name: str,
        names: collections.abc.Container[str],
    ) -> bool:
        """Answer whether a part of what is hidden may be in a property.

        It came there by an attribute, if at all.
        """
        return self._has_any and any(
            each.hides(resource, name, names) for each in self._suspected
        )

    def hides_parameter(self, name: str) -> bool:
        """Answer whether a parameter is hidden, or was given what is."""
        return any(name in names for names in self._names)

    def shown(
        self, value: object, *, is_hidden: bool, is_suspect: bool = False
    ) -> object:
        """Return the value of a property as JSON, what is hidden covered.

        ``{"known_later": true}`` stands for what comes into being only with
        the run.

        :param is_suspect: a part of what is hidden may be in it
        """
        if is_hidden and value is not None and value is not world.UNKNOWN:
            return HIDDEN
        return self._plain(value, self.tells_part if is_suspect else None)

    @property
    def texts(self) -> frozenset[str]:
        """All that is looked for in values."""
        return frozenset(self._texts.all)

    @property
    def has_texts(self) -> bool:
        """Whether there is any text to be looked for."""
        return bool(self._texts.all)

    def mentions(self, written: object) -> bool:
        """Answer whether something hidden goes into what a template says."""
        return (
            self._is_blind
            or any(
                references.mentions(written, names)
                for names in self._names
                if names
            )
            or any(
                each.is_altered(written) or each.reads_secret(written)
                for each in self._hidings
            )
        )

    def suspects_in(self, written: object) -> bool:
        """Answer whether a part of it may go into what a template says."""
        return any(each.mentions(written) for each in self._suspected)

    def shown_id(self, resource: str, physical_id: str) -> str:
        """Return the physical id of a resource.

        ``******`` where the service made it of what is hidden.
        """
        if self.is_idle or generated.is_made_up(resource, physical_id):
            is_hidden = self.tells(physical_id)
        else:
            is_hidden = (
                self._is_blind
                or self.tells(physical_id)
                or any(
                    resource in each.altered
                    or (
                        each.is_given(resource)
                        and self.tells_part(physical_id)
                    )
                    for each in self._hidings
                )
            )
        return HIDDEN if is_hidden else physical_id

    def tells(self, text: str) -> bool:
        """Answer whether a text holds what is hidden, however it is spelt."""
        return self._texts.are_in(text)

    def tells_part(self, value: object) -> bool:
        """Answer whether a value has a few characters of what is hidden."""
        return self._texts.have_part_in(value)

    def covered(self, text: str) -> str:
        """Return a text without what is hidden, as in reasons of failures.

        Texts that are too short to be looked for inside of others stay.
        """
        return self._texts.redact(text)

    @functools.cached_property
    def _hidings(self) -> tuple[taint.Hiding, ...]:
        """Where what is hidden may be, by template; nothing if not strict."""
        if not self._is_strict:
            return ()
        return tuple(
            each for each in self._follow(by_ids=False) if not each.is_idle
        )

    @functools.cached_property
    def _suspected(self) -> tuple[taint.Hiding, ...]:
        """Where parts of it may be: also by an id that was made of one."""
        if not self._hidings:
            return ()
        return tuple(self._follow(by_ids=True))

    @functools.cached_property
    def _is_altered_anywhere(self) -> bool:
        """Whether any value may be made of what is hidden, and tell no part.

        The engine wrote the template, with values that a function of the
        parent's template has made: a digest.
        """
        return (
            self._around is not None
            and any(each.is_anywhere for each in self._hidings)
            and (
                self._around._is_altered_anywhere
                or any(
                    self._resource in each.altered
                    for each in self._around._hidings
                )
            )
        )

    def _follow(
        self, *, by_ids: bool
    ) -> collections.abc.Iterator[taint.Hiding]:
        for parsed_template, names in zip(
            self._templates, self._names, strict=True
        ):
            given = None if self._given(parsed_template) is None else names
            yield generated.extended(
                parsed_template,
                taint.within(parsed_template, given, by_ids=by_ids),
            )

    def _given(
        self, parsed_template: template.Template
    ) -> frozenset[str] | None:
        """Return the parameters that may have been given something hidden."""
        if self._around is None:
            return frozenset()
        return taint.given_by(
            self._around._hidings, self._resource, parsed_template
        )

    def _given_parts(
        self, parsed_template: template.Template
    ) -> frozenset[str] | None:
        """Return the parameters that may have been given a part of it."""
        if self._around is None or not self._is_strict:
            return frozenset()
        return taint.given_by(
            self._around._suspected, self._resource, parsed_template
        )

    def _names_in(self, parsed_template: template.Template) -> frozenset[str]:
        """Return the parameters that are hidden, or were given what is."""
        names = taint.hidden_parameters(parsed_template)
        around = self._around
        if around is None or not around._has_any:
            return names
        schemas = parsed_template.parameters.schemas
        given = self._given_parts(parsed_template)
        return names.union(
            name
            for name in schemas
            if name not in names
            and (
                around._gives(self._resource, name, schemas)
                or around._is_in(
                    parsed_template, name, given is None or name in given
                )
            )
        )

    @functools.cached_property
    def _has_any(self) -> bool:
        """Whether anything is hidden at all, as far as it can be known."""
        return bool(self._texts.all or any(self._names) or self._hidings)

    def _gives(
        self,
        resource: str,
        name: str,
        names: collections.abc.Collection[str],
    ) -> bool:
        """Answer whether a property with the name of a parameter is hidden."""
        return any(
            isinstance(given, dict)
            and all(each in names for each in given)
            and references.mentions(given.get(name), hidden)
            for parsed_template, hidden in zip(
                self._templates, self._names, strict=True
            )
            if hidden
            for given in [taint.properties(parsed_template, resource)]
        ) or (
            self._alters(resource, name, names)
            or self._takes_secret(resource, name, names)
        )

    def _alters(
        self,
        resource: str,
        name: str,
        names: collections.abc.Container[str],
    ) -> bool:
        """Answer whether what goes into a property is no part any more."""
        return any(
            each.alters(resource, name, names) for each in self._hidings
        )

    def _takes_secret(
        self,
        resource: str,
        name: str,
        names: collections.abc.Container[str],
    ) -> bool:
        """Answer whether a secret that was made up goes into a property."""
        return any(
            each.takes_secret(resource, name, names) for each in self._hidings
        )

    def _is_in(
        self, parsed_template: template.Template, name: str, is_suspect: bool
    ) -> bool:
        """Answer whether the value of a parameter holds what is hidden."""
        try:
            value = parsed_template.parameters.value(name)
        except errors.OrchError:
            return False
        return any(
            self._is_hidden(each) or (is_suspect and self.tells_part(each))
            for each in derived_texts.find_texts(value)
        )

    def _given_to(
        self, parsed_template: template.Template, names: frozenset[str]
    ) -> collections.abc.Iterator[str]:
        """Return what parameters that are not hidden have of what is."""
        around = self._around
        if around is None:
            return
        schemas = parsed_template.parameters.schemas
        for name in names - taint.hidden_parameters(parsed_template):
            is_altered = around._alters(self._resource, name, schemas)
            try:
                value = parsed_template.parameters.value(name)
            except errors.OrchError:
                continue
            for text in derived_texts.find_texts(value):
                if is_altered or self.tells_part(text):
                    yield text

    def _plain(
        self,
        value: object,
        is_part: collections.abc.Callable[[object], bool] | None = None,
    ) -> object:
        if value is world.UNKNOWN:
            return {KNOWN_LATER: True}
        if isinstance(value, collections.abc.Mapping):
            return {
                self._key(key, is_part): self._plain(each, is_part)
                for key, each in value.items()
            }
        if isinstance(value, list | tuple):
            return [self._plain(each, is_part) for each in value]
        if self._is_hidden(value) or (is_part is not None and is_part(value)):
            return HIDDEN
        if self._is_strict and isinstance(value, str):
            return presigned.redact_presigned(value)
        return value

    def _key(
        self,
        key: object,
        is_part: collections.abc.Callable[[object], bool] | None,
    ) -> object:
        """Return the name of a value in a map, redacted like the value."""
        if not isinstance(key, str):
            return key
        if self._is_hidden(key) or (is_part is not None and is_part(key)):
            return HIDDEN
        return presigned.redact_presigned(key) if self._is_strict else key

    def _is_hidden(self, value: object) -> bool:
        if not self._texts.all or value is None or isinstance(value, bool):
            return False
        return self.tells(str(value))


def hidden_texts(parsed_template: template.Template) -> frozenset[str]:
    """Return all that users gave as hidden parameters of a template.

    :raises orch.errors.OrchError: such a parameter has no value
    """
    return frozenset(
        text
        for name in taint.hidden_parameters(parsed_template)
        for text in derived_texts.find_texts(
            parsed_template.parameters.value(name)
        )
        if text
    )
