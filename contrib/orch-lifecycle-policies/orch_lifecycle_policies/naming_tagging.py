"""Rules on names of stacks and resources, and on tags of stacks."""

import collections.abc
import re
import typing

from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_settings
from orch_lifecycle_policies import rule_base
from orch_lifecycle_policies import values

SCHEMA: typing.Final[dict[str, object]] = {
    **lifecycle_settings.mapping(
        {
            "stack_name": lifecycle_settings.REGEX,
            "resource_name": lifecycle_settings.REGEX,
            "required_tags": lifecycle_settings.TEXTS,
            "forbidden_tags": lifecycle_settings.TEXTS,
            "property_names": {
                "type": "array",
                "minItems": 1,
                "items": lifecycle_settings.mapping(
                    {
                        "types": lifecycle_settings.TEXTS,
                        "property": lifecycle_settings.TEXT,
                        "pattern": lifecycle_settings.REGEX,
                    },
                    ["types", "pattern"],
                ),
            },
            "ruling": lifecycle_settings.RULING,
            "text": lifecycle_settings.TEXT,
            "exempt_roles": lifecycle_settings.TEXTS,
        }
    ),
    "anyOf": [
        {"required": [each]}
        for each in (
            "stack_name",
            "resource_name",
            "required_tags",
            "forbidden_tags",
            "property_names",
        )
    ],
}

_NAMING: typing.Final = frozenset({"create", "adopt"})


class NamingTagging(lifecycle.LifecyclePlugin):
    """Denies, or warns of, names and tags that are not as they should be.

    The name of a stack is looked at when it is made: it never changes.
    Names of resources are those of the root's own template, since groups
    give names to theirs; properties are looked at in the whole tree, and
    again in an inner stack when its turn comes.
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
        self._given = lifecycle_settings.check(settings, SCHEMA)
        self._ruling = lifecycle.Ruling(self._given.get("ruling", "deny"))
        self._exempt = lifecycle_settings.texts(
            self._given.get("exempt_roles", [])
        )

    def pre_operation(
        self, operation: lifecycle_operation.LifecycleOperation
    ) -> lifecycle.Verdict:
        """Look at all names and tags."""
        after = operation.after
        if after is None or rule_base.is_spared(
            operation.request, self._exempt
        ):
            return lifecycle.allow()
        if after.path and self._ruling is lifecycle.Ruling.WARN:
            return lifecycle.allow()
        text = self._given.get("text")
        return rule_base.make_verdict(
            rule_base.Finding(
                self._ruling, f"{each} ({text})" if text else each
            )
            for each in self._problems(operation.request, after)
        )

    def _problems(
        self,
        request: lifecycle_operation.OperationRequest,
        after: lifecycle_operation.StackView,
    ) -> collections.abc.Iterator[str]:
        for rule in self._given.get("property_names", ()):
            yield from _look_at_properties(rule, after)
        if after.path:
            return
        if request.verb in _NAMING:
            yield from self._look_at("stack_name", "the stack", [after.name])
        yield from self._look_at(
            "resource_name", "the resource", after.resources
        )
        for each in lifecycle_settings.texts(
            self._given.get("required_tags", [])
        ):
            if not any(rule_base.fits(tag, [each]) for tag in after.tags):
                yield f"the stack has no tag {each}"
        forbidden = lifecycle_settings.texts(
            self._given.get("forbidden_tags", [])
        )
        for tag in after.tags:
            if rule_base.fits(tag, forbidden):
                yield f"the tag {tag} is forbidden"

    def _look_at(
        self, rule: str, what: str, names: collections.abc.Iterable[str]
    ) -> collections.abc.Iterator[str]:
        wanted = self._given.get(rule)
        if wanted is not None:
            for name in names:
                if not re.fullmatch(wanted, name):
                    yield f"the name of {what} {name} does not match {wanted}"


def _look_at_properties(
    rule: collections.abc.Mapping[str, typing.Any],
    after: lifecycle_operation.StackView,
) -> collections.abc.Iterator[str]:
    """Return what is wrong; what is not given, or not known, is not."""
    types = lifecycle_settings.texts(rule["types"])
    path = rule.get("property", "name")
    for each in after.walk():
        if not rule_base.fits(each.type_name, types):
            continue
        for value in values.at(each.properties, path.split(".")):
            if value is not lifecycle_operation.UNKNOWN and not re.fullmatch(
                rule["pattern"], str(value)
            ):
                yield (
                    f"{each.path}.{path} is {values.describe_value(value)},"
                    " which does"
                    f" not match {rule['pattern']}"
                )
