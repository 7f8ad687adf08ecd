"""Rules on types of resources and on values of their properties."""

import collections.abc
import dataclasses
import re
import typing

from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_settings
from orch_lifecycle_policies import rule_base
from orch_lifecycle_policies import values

_VALUES: typing.Final = {"type": "array", "minItems": 1}

_ABOUT: typing.Final[dict[str, object]] = {
    "types": lifecycle_settings.TEXTS,
    "tags": lifecycle_settings.TEXTS,
    "ruling": lifecycle_settings.RULING,
    "text": lifecycle_settings.TEXT,
}

_TESTS: typing.Final[dict[str, object]] = {
    "required": {"const": True},
    "forbidden": {"const": True},
    "among": _VALUES,
    "not_among": _VALUES,
    "matches": lifecycle_settings.REGEX,
    "not_matches": lifecycle_settings.REGEX,
    "at_least": {"type": "number"},
    "at_most": {"type": "number"},
}

_BY_PROPERTY: typing.Final[dict[str, object]] = {
    **lifecycle_settings.mapping(
        {**_ABOUT, "property": lifecycle_settings.TEXT, **_TESTS},
        ["types", "property"],
    ),
    "anyOf": [{"required": [each]} for each in _TESTS],
}
_BY_TYPE: typing.Final = lifecycle_settings.mapping(
    {**_ABOUT, "forbidden": {"const": True}}, ["types", "forbidden"]
)
_BY_NEED: typing.Final = lifecycle_settings.mapping(
    {**_ABOUT, "needs": lifecycle_settings.TEXTS}, ["types", "needs"]
)

SCHEMA: typing.Final = lifecycle_settings.mapping(
    {
        "rules": {
            "type": "array",
            "minItems": 1,
            "items": {
                "if": {"required": ["property"]},
                "then": _BY_PROPERTY,
                "else": {
                    "if": {"required": ["needs"]},
                    "then": _BY_NEED,
                    "else": _BY_TYPE,
                },
            },
        },
        "unknown": {"enum": ["allow", "warn", "deny"]},
        "exempt_roles": lifecycle_settings.TEXTS,
    },
    ["rules"],
)


@dataclasses.dataclass(frozen=True, slots=True)
class _Rule:
    types: tuple[str, ...]
    tags: tuple[str, ...]
    ruling: lifecycle.Ruling
    text: str
    needs: tuple[str, ...]
    path: tuple[str, ...]
    tests: collections.abc.Mapping[str, typing.Any]

    def say(self, text: str) -> rule_base.Finding:
        told = f"{text} ({self.text})" if self.text else text
        return rule_base.Finding(self.ruling, told)


class ResourceRules(lifecycle.LifecyclePlugin):
    """Denies, or warns of, resources that break a rule.

    All resources of the tree are looked at, those of inner stacks too, as
    they are to stand. Of values that come into being only with the run it
    says what the setting ``unknown`` says. An inner stack is looked at again
    when its turn comes, when more is known; then it is denied or let pass.
    """

    scope = lifecycle.Scope.EVERY_STACK
    verbs = rule_base.BRINGING
    supports_preview = True
    needs_settings = True

    def __init__(self, name: str, settings: object) -> None:
        """Read the rules.

        :raises orch.errors.Invalid: the settings are wrong
        """
        super().__init__(name, settings)
        given = lifecycle_settings.check(settings, SCHEMA)
        self._exempt = lifecycle_settings.texts(given.get("exempt_roles", []))
        self._unknown = lifecycle.Ruling(given.get("unknown", "warn"))
        self._rules = [_read(each) for each in given["rules"]]

    def pre_operation(
        self, operation: lifecycle_operation.LifecycleOperation
    ) -> lifecycle.Verdict:
        """Judge all resources by all rules."""
        after = operation.after
        if after is None or rule_base.is_spared(
            operation.request, self._exempt
        ):
            return lifecycle.allow()
        found = (
            each for rule in self._rules for each in self._apply(rule, after)
        )
        return rule_base.make_verdict(
            each
            for each in found
            if not after.path or each.ruling is lifecycle.Ruling.DENY
        )

    def _apply(
        self, rule: _Rule, after: lifecycle_operation.StackView
    ) -> collections.abc.Iterator[rule_base.Finding]:
        if not rule_base.has_tag(after, rule.tags):
            return
        concerned = [
            each
            for each in after.walk()
            if rule_base.fits(each.type_name, rule.types)
        ]
        if rule.needs:
            # An inner stack may have it from the one around it.
            if concerned and not after.path:
                yield from _look_for(rule, concerned, after)
        elif rule.path:
            for each in concerned:
                yield from self._look_at(rule, each)
        else:
            for each in concerned:
                yield rule.say(
                    f"{each.path} is of the type {each.type_name}, which is"
                    " forbidden"
                )

    def _look_at(
        self, rule: _Rule, resource: lifecycle_operation.ResourceView
    ) -> collections.abc.Iterator[rule_base.Finding]:
        where = f"{resource.path}.{'.'.join(rule.path)}"
        found = list(values.at(resource.properties, rule.path))
        known = [
            each for each in found if each is not lifecycle_operation.UNKNOWN
        ]
        if len(known) < len(found):
            if self._unknown is not lifecycle.Ruling.ALLOW:
                yield rule_base.Finding(
                    min(self._unknown, rule.ruling, key=_SEVERITY.index),
                    f"{where} is not known before the run",
                )
        elif not known and "required" in rule.tests:
            yield rule.say(f"{where} has to be given")
        for value in known:
            for problem in _problems(rule.tests, value):
                yield rule.say(f"{where} {problem}")


_SEVERITY: typing.Final = (lifecycle.Ruling.WARN, lifecycle.Ruling.DENY)


def _look_for(
    rule: _Rule,
    concerned: list[lifecycle_operation.ResourceView],
    after: lifecycle_operation.StackView,
) -> collections.abc.Iterator[rule_base.Finding]:
    if not any(
        rule_base.fits(each.type_name, rule.needs) for each in after.walk()
    ):
        yield rule.say(
            f"{concerned[0].path} needs a resource of"
            f" {' or '.join(rule.needs)} in the stack"
        )


def _problems(
    tests: collections.abc.Mapping[str, typing.Any], value: object
) -> collections.abc.Iterator[str]:
    """Return what a known value has against the tests of a rule."""
    told = values.describe_value(value)
    if "forbidden" in tests:
        yield "must not be given"
    if "among" in tests and value not in tests["among"]:
        allowed = ", ".join(
            values.describe_value(each) for each in tests["among"]
        )
        yield f"is {told}; allowed are {allowed}"
    if "not_among" in tests and value in tests["not_among"]:
        yield f"is {told}, which is forbidden"
    text = value if isinstance(value, str) else told
    if "matches" in tests and not re.fullmatch(tests["matches"], text):
        yield f"is {told}, which does not match {tests['matches']}"
    if "not_matches" in tests and re.fullmatch(tests["not_matches"], text):
        yield f"is {told}, which matches {tests['not_matches']}"
    yield from _out_of_bounds(tests, value)


def _out_of_bounds(
    tests: collections.abc.Mapping[str, typing.Any], value: object
) -> collections.abc.Iterator[str]:
    if not {"at_least", "at_most"} & tests.keys():
        return
    number = values.number(value)
    if number is None:
        yield f"is {values.describe_value(value)}, which is no number"
    elif "at_least" in tests and number < tests["at_least"]:
        least = tests["at_least"]
        yield f"is {values.describe_value(value)}; at least {least}"
    elif "at_most" in tests and number > tests["at_most"]:
        yield f"is {values.describe_value(value)}; at most {tests['at_most']}"


def _read(given: collections.abc.Mapping[str, typing.Any]) -> _Rule:
    path = given.get("property", "")
    return _Rule(
        lifecycle_settings.texts(given["types"]),
        lifecycle_settings.texts(given.get("tags", [])),
        lifecycle.Ruling(given.get("ruling", "deny")),
        given.get("text", ""),
        lifecycle_settings.texts(given.get("needs", [])),
        tuple(path.split(".")) if path else (),
        {name: given[name] for name in _TESTS if name in given},
    )
