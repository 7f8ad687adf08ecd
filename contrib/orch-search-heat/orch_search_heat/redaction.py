"""Finds where hidden values may be in a stack, by the templates that it has.

The API of Heat shows ``******`` for a hidden parameter: the text is not known
here, so it cannot be looked for. What it may have become is followed instead:
from a parameter, or a secret that a service made up, into properties, from
there into attributes, and on to whatever reads these.
"""

import collections.abc
import dataclasses
import functools
import re
import typing

from orch.model import flat_fields
from orch.model import secret_types

Found = dict[str, typing.Any]
"""A stack, resource or template, as the API shows it."""

MASKED: typing.Final = "******"
"""What the API shows for a hidden value."""
_HANDLES: typing.Final = frozenset({"OS::Heat::WaitConditionHandle"})
"""Types whose attributes let others log in. What is given them shows nothing
of it, other than by itself."""
_STACKS: typing.Final = frozenset(
    {"AWS::CloudFormation::Stack", "OS::Heat::Stack"}
)
_IDS: typing.Final = frozenset({"get_resource", "Ref"})
_PARAMETERS: typing.Final = frozenset({"get_param", "Ref"})
_ATTRIBUTES: typing.Final = frozenset({"get_attr", "Fn::GetAtt"})
_SILENT: typing.Final = frozenset(
    {
        "type",
        "description",
        "depends_on",
        "dependson",
        "condition",
        "deletion_policy",
        "deletionpolicy",
        "external_id",
    }
)
"""Parts of a resource, in lower case, that none of its values come from."""
_IN_TEXT: typing.Final = re.compile(r"\$\{\s*([^.}]+)")
_NAMED: typing.Final = re.compile(r"\bresources\.([^\s.:\[\]\"',]+)")
_UUID: typing.Final = re.compile(
    r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE
)
_RANDOM: typing.Final = 12
"""Characters at the end of a name that the service makes up."""


@dataclasses.dataclass(slots=True)
class _Uses:
    """What something written is made of.

    :ivar is_secret: something hidden goes into it
    :ivar reads: resources whose attributes may
    :ivar ids: resources whose ids do
    """

    is_secret: bool = False
    reads: set[str] = dataclasses.field(default_factory=set)
    ids: set[str] = dataclasses.field(default_factory=set)


@dataclasses.dataclass(frozen=True, slots=True)
class Around:
    """What is known of a stack beside its template.

    :ivar name: of the stack
    :ivar given: parameters that the stack around gives hidden values;
        ``None`` where these may be anywhere
    :ivar physical_ids: of resources, by their names
    :ivar types: what types of the template stand for, where that is another;
        ``None`` where it is not known: one may stand for a secret
    :ivar masked: parameters that the API does not show
    """

    name: str = ""
    given: frozenset[str] | None = frozenset()
    physical_ids: collections.abc.Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )
    types: collections.abc.Mapping[str, str] | None = dataclasses.field(
        default_factory=dict
    )
    masked: frozenset[str] = frozenset()


class Rules:
    """What of a stack may have hidden values in it.

    :ivar is_anywhere: all of it, as its template is not known, what it was
        given, or what its types are
    :ivar parameters: those that are hidden, or were given what is
    """

    def __init__(
        self,
        written: Found,
        around: Around,
        holds: collections.abc.Callable[[str], bool],
    ) -> None:
        """Follow nothing before it is asked for.

        :param written: the template; empty where it is not known
        :param holds: answers whether the stack that a resource stands for
            hides something itself
        """
        self._written = written
        self._section = resources(written)
        self._around = around
        self._holds = holds
        self._given: dict[str, bool] = {}
        self._used: dict[str, _Uses] = {}
        self.is_anywhere = (
            around.given is None or around.types is None or not written
        )
        self._types = around.types or {}
        self.parameters = frozenset(
            (*hidden_parameters(written), *(around.given or ()))
        ).union(around.masked)
        self._speaks = _pattern(self.parameters)

    @functools.cached_property
    def by_template(self) -> "Rules":
        """What may be hidden whatever ids there are, now and later."""
        around = dataclasses.replace(self._around, physical_ids={})
        return Rules(self._written, around, self._holds)

    @functools.cached_property
    def is_idle(self) -> bool:
        """Whether nothing is hidden in any place."""
        return not (
            self.is_anywhere
            or self.parameters
            or any(map(self.is_given, self._section))
        )

    def is_given(self, name: str) -> bool:
        """Whether a resource may have something hidden.

        What one that is not in the template was given is not known.
        """
        if self.is_anywhere or name not in self._section:
            return True
        if name not in self._given:
            self._given[name] = self._is_behind(name)
        return self._given[name]

    def has_secrets(self, name: str) -> bool:
        """Whether attributes of a resource are not to be shown."""
        return self.is_given(name) or self._type(name) in _HANDLES

    def redacts_id(self, name: str) -> bool:
        """Whether the id of a resource may reveal what is hidden."""
        return self.is_given(name) and self._has_revealing_id(name)

    def mentions(self, written: object) -> bool:
        """Whether something hidden may go into what is written."""
        if self.is_anywhere:
            return True
        uses = self._uses(written)
        return (
            uses.is_secret
            or any(map(self.has_secrets, uses.reads))
            or any(map(self.redacts_id, uses.ids))
        )

    def redacts_reason(self, text: str, *, is_failed: bool) -> bool:
        """Whether what is said of the stack may reveal what is hidden.

        What failed quotes what it was given. It does not where it says which
        resources it is about, and none of these was given any.
        """
        named = _NAMED.findall(text)
        if named:
            return any(map(self.is_given, named))
        return (is_failed or ":" in text) and not self.is_idle

    def redacts_resource_reason(
        self, name: str, text: str, *, is_failed: bool
    ) -> bool:
        """Whether the same holds for what is said of a resource."""
        return (is_failed or ":" in text) and self.is_given(name)

    def given(self, name: str, inner: Found) -> frozenset[str] | None:
        """Return parameters of the stack that a resource is.

        :param inner: its template
        :returns: those that may be given something hidden; ``None`` where
            it may be anywhere in that stack
        """
        if self.is_anywhere:
            return None
        if name not in self._section:
            return frozenset() if self.is_idle else None
        declared = _declaration(self._section, name)
        given = properties(declared)
        rest: Found = {
            key: each
            for key, each in declared.items()
            if str(key).lower() not in (*_SILENT, "properties")
        }
        if not isinstance(given, dict):
            rest["given"] = given
            given = {}
        elif self._type(name) in _STACKS:
            rest |= {
                key: each
                for key, each in given.items()
                if str(key).lower() != "parameters"
            }
            passed = given.get("parameters", given.get("Parameters"))
            given = passed if isinstance(passed, dict) else {"": passed}
        found = frozenset(
            str(key) for key, each in given.items() if self.mentions(each)
        )
        # A map of one key may be a function that gives all properties.
        if self.mentions(rest) or (not found and self.mentions(given)):
            return None
        return found if found <= _parameters(inner).keys() else None

    def _is_behind(self, name: str) -> bool:
        """Follow all that a resource is made of back to where it begins."""
        known: set[str] = set()
        left = [name]
        while left:
            each = left.pop()
            if each in known or self._given.get(each) is False:
                continue
            known.add(each)
            uses = self._uses_of(each)
            if (
                self._given.get(each)
                or uses.is_secret
                or self._type(each) in secret_types.TYPES
            ):
                return True
            left += uses.reads
            left += filter(self._has_revealing_id, uses.ids)
        return any(map(self._holds, known))

    def _has_revealing_id(self, name: str) -> bool:
        """Whether an id may be made of what the resource was given.

        Not if it is one of those that services make up.
        """
        if self._type(name) in secret_types.TYPES:
            return True
        found = self._around.physical_ids.get(name, "")
        made = f"{self._around.name}-{name}-"
        return not (
            _UUID.fullmatch(found)
            or (found.startswith(made) and len(found) == len(made) + _RANDOM)
        )

    def _type(self, name: str) -> str:
        declared = _declaration(self._section, name)
        found = str(declared.get("type", declared.get("Type", "")))
        return self._types.get(found, found)

    def _uses_of(self, name: str) -> _Uses:
        if name not in self._used:
            found = _Uses()
            for key, each in _declaration(self._section, name).items():
                if str(key).lower() not in _SILENT:
                    self._gather(each, found, is_called=False)
            self._used[name] = found
        return self._used[name]

    def _uses(self, written: object) -> _Uses:
        found = _Uses()
        self._gather(written, found, is_called=False)
        return found

    def _gather(
        self, written: object, found: _Uses, *, is_called: bool
    ) -> None:
        """Gather what goes into a value.

        :param is_called: it may be for a function, so its texts may be names
        """
        if isinstance(written, str):
            if is_called:
                self._gather_text(written, found)
        elif isinstance(written, list):
            for each in written:
                self._gather(each, found, is_called=is_called)
        elif isinstance(written, dict):
            # A map of one key may be a function that is not known here.
            is_called = is_called or len(written) == 1
            for key, each in written.items():
                self._gather_call(key, each, found, is_called=is_called)

    def _gather_text(self, text: str, found: _Uses) -> None:
        if self._speaks is not None and self._speaks.search(text):
            found.is_secret = True
        for name in (text, text.partition(".")[0], *_IN_TEXT.findall(text)):
            if name in self._section:
                found.reads.add(name)

    def _gather_call(
        self,
        function: object,
        arguments: object,
        found: _Uses,
        *,
        is_called: bool,
    ) -> None:
        """Gather what a function is given, or what a key has."""
        if not is_called:
            self._gather(arguments, found, is_called=False)
            return
        path = arguments if isinstance(arguments, list) else [arguments]
        first = path[0] if path else None
        if function in _IDS:
            if isinstance(first, str) and first in self._section:
                found.ids.add(first)
                return
            if not isinstance(first, str):
                found.ids.update(self._section)
        if function in _PARAMETERS and not isinstance(first, str):
            found.is_secret |= bool(self.parameters)
        if function in _ATTRIBUTES:
            if isinstance(arguments, str):
                path = list(arguments.split("."))
            path = path or [None]
            if not (isinstance(path[0], str) and path[0] in self._section):
                found.reads.update(self._section)
            found.is_secret |= any(
                isinstance(each, str) and flat_fields.is_secret(each)
                for each in path[1:]
            )
        self._gather(arguments, found, is_called=is_called)


def resources(written: Found) -> Found:
    """Return what a template declares as resources, by name."""
    return _section(written, "resources", "Resources")


def outputs(written: Found) -> dict[str, object]:
    """Return what a template writes for the values of outputs, by name."""
    return {
        name: each.get("value", each.get("Value"))
        if isinstance(each, dict)
        else each
        for name, each in _section(written, "outputs", "Outputs").items()
    }


def declaration(written: Found, name: str) -> Found:
    """Return what a template says of a resource; nothing where it does not."""
    return _declaration(resources(written), name)


def properties(declared: Found) -> object:
    """Return what a resource is given; no map where a function gives all."""
    found = declared.get("properties", declared.get("Properties"))
    return {} if found is None else found


def hidden_parameters(written: Found) -> frozenset[str]:
    """Return the names of those that a template hides."""
    return frozenset(
        name
        for name, each in _parameters(written).items()
        if isinstance(each, dict)
        and str(each.get("hidden", each.get("NoEcho", ""))).strip().lower()
        in ("true", "1", "yes", "t", "y", "on")
    )


def without_defaults(written: Found) -> Found:
    """Return a template, the defaults of hidden parameters masked."""
    secrets = hidden_parameters(written)
    shown = dict(written)
    for section in ("parameters", "Parameters"):
        declared = shown.get(section)
        if isinstance(declared, dict):
            shown[section] = {
                str(name): {
                    key: MASKED if str(key).lower() == "default" else value
                    for key, value in each.items()
                }
                if str(name) in secrets
                else each
                for name, each in declared.items()
            }
    return shown


def has_mask(value: object) -> bool:
    """Whether the API hides a part of a value."""
    if isinstance(value, dict):
        return any(map(has_mask, value.values()))
    if isinstance(value, list):
        return any(map(has_mask, value))
    return value == MASKED


def _parameters(written: Found) -> Found:
    return _section(written, "parameters", "Parameters")


def _section(written: Found, *names: str) -> Found:
    found: Found = {}
    for name in names:
        section = written.get(name)
        if isinstance(section, dict):
            found |= {str(key): each for key, each in section.items()}
    return found


def _declaration(section: Found, name: str) -> Found:
    declared = section.get(name)
    return declared if isinstance(declared, dict) else {}


def _pattern(names: frozenset[str]) -> re.Pattern[str] | None:
    """Return what finds one of the names in a text, as a word of its own."""
    if not names:
        return None
    words = "|".join(map(re.escape, sorted(names)))
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)")
