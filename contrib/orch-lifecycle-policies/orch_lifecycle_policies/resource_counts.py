"""Bounds how many resources of some types one tree of stacks may have."""

import collections.abc
import dataclasses
import typing

from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_settings
from orch_lifecycle_policies import rule_base

SCHEMA: typing.Final = lifecycle_settings.mapping(
    {
        "limits": {
            "type": "array",
            "minItems": 1,
            "items": {
                **lifecycle_settings.mapping(
                    {
                        "types": lifecycle_settings.TEXTS,
                        "warn_above": lifecycle_settings.COUNT,
                        "deny_above": lifecycle_settings.COUNT,
                        "text": lifecycle_settings.TEXT,
                    }
                ),
                "anyOf": [
                    {"required": ["warn_above"]},
                    {"required": ["deny_above"]},
                ],
            },
        },
        "exempt_roles": lifecycle_settings.TEXTS,
    },
    ["limits"],
)


@dataclasses.dataclass(frozen=True, slots=True)
class _Limit:
    types: tuple[str, ...]
    warn_above: int | None
    deny_above: int | None
    text: str

    def count(self, view: lifecycle_operation.StackView) -> int:
        """Return how many resources of the tree it is about."""
        return sum(
            rule_base.fits(each.type_name, self.types) for each in view.walk()
        )

    def count_made(self, view: lifecycle_operation.StackView | None) -> int:
        """Return how many of them are there in the world."""
        if view is None:
            return 0
        return sum(
            rule_base.fits(each.type_name, self.types)
            for each in view.walk()
            if each.physical_id is not None
        )


class ResourceCounts(lifecycle.LifecyclePlugin):
    """Warns and denies above a number of resources.

    An operation that makes a tree no larger is not denied, or no user could
    make smaller what has grown before the limit. An inner stack that
    changes by itself, as groups do when they scale, is counted by itself,
    and not warned of.
    """

    scope = lifecycle.Scope.EVERY_STACK
    verbs = rule_base.BRINGING
    supports_preview = True
    needs_settings = True

    def __init__(self, name: str, settings: object) -> None:
        """Read the limits.

        :raises orch.errors.Invalid: the settings are wrong
        """
        super().__init__(name, settings)
        given = lifecycle_settings.check(settings, SCHEMA)
        self._exempt = lifecycle_settings.texts(given.get("exempt_roles", []))
        self._limits = [
            _Limit(
                lifecycle_settings.texts(each.get("types", "*")),
                each.get("warn_above"),
                each.get("deny_above"),
                each.get("text", ""),
            )
            for each in given["limits"]
        ]

    def pre_operation(
        self, operation: lifecycle_operation.LifecycleOperation
    ) -> lifecycle.Verdict:
        """Count, and judge."""
        if operation.after is None or rule_base.is_spared(
            operation.request, self._exempt
        ):
            return lifecycle.allow()
        return rule_base.make_verdict(self._find(operation, operation.after))

    def _find(
        self,
        operation: lifecycle_operation.LifecycleOperation,
        after: lifecycle_operation.StackView,
    ) -> collections.abc.Iterator[rule_base.Finding]:
        for each in self._limits:
            count = each.count(after)
            if each.deny_above is not None and count > each.deny_above:
                grows = count > each.count_made(operation.before)
                yield _finding(each, count, each.deny_above, is_denied=grows)
            elif (
                each.warn_above is not None
                and count > each.warn_above
                and not after.path
            ):
                yield _finding(each, count, each.warn_above, is_denied=False)


def _finding(
    limit: _Limit, count: int, above: int, is_denied: bool
) -> rule_base.Finding:
    what = "resources"
    if limit.types != ("*",):
        what += f" of {' or '.join(limit.types)}"
    text = f"{count} {what}, and {above} are the limit"
    if not is_denied:
        text = f"{count} {what}, more than {above}"
    if limit.text:
        text += f" ({limit.text})"
    ruling = lifecycle.Ruling.DENY if is_denied else lifecycle.Ruling.WARN
    return rule_base.Finding(ruling, text)
