"""Bounds how many resources of some types one tree of stacks may have."""

import collections.abc
import dataclasses
import typing

from orch.lifecycle_plugins import judging
from orch.lifecycle_plugins import settings as settings_
from orch.plugin import lifecycle
from orch.plugin import pattern

SCHEMA: typing.Final = settings_.mapping(
    {
        "limits": {
            "type": "array",
            "minItems": 1,
            "items": {
                **settings_.mapping(
                    {
                        "types": settings_.TEXTS,
                        "warn_above": settings_.COUNT,
                        "deny_above": settings_.COUNT,
                        "text": settings_.TEXT,
                    }
                ),
                "anyOf": [
                    {"required": ["warn_above"]},
                    {"required": ["deny_above"]},
                ],
            },
        },
        "exempt_roles": settings_.TEXTS,
    },
    ["limits"],
)


@dataclasses.dataclass(frozen=True, slots=True)
class _Limit:
    types: tuple[str, ...]
    warn_above: int | None
    deny_above: int | None
    text: str

    def count(self, view: pattern.StackView) -> int:
        """Return how many resources of the tree it is about."""
        return sum(
            judging.fits(each.type_name, self.types) for each in view.walk()
        )

    def count_made(self, view: pattern.StackView | None) -> int:
        """Return how many of them are there in the world."""
        if view is None:
            return 0
        return sum(
            judging.fits(each.type_name, self.types)
            for each in view.walk()
            if each.physical_id is not None
        )


class ResourceCounts(lifecycle.LifecyclePlugin):
    """Warns and denies above a number of resources.

    An operation that makes a tree no larger is not denied, or nobody could
    make smaller what has grown before the limit. An inner stack that
    changes by itself, as groups do when they scale, is counted by itself,
    and not warned of.
    """

    scope = lifecycle.Scope.EVERY_STACK
    verbs = judging.BRINGING
    answers_previews = True
    needs_settings = True

    def __init__(self, name: str, settings: object) -> None:
        """Read the limits.

        :raises orch.errors.Invalid: the settings are wrong
        """
        super().__init__(name, settings)
        given = settings_.check(settings, SCHEMA)
        self._exempt = settings_.texts(given.get("exempt_roles", []))
        self._limits = [
            _Limit(
                settings_.texts(each.get("types", "*")),
                each.get("warn_above"),
                each.get("deny_above"),
                each.get("text", ""),
            )
            for each in given["limits"]
        ]

    def pre_operation(self, seen: pattern.Pattern) -> lifecycle.Verdict:
        """Count, and judge."""
        if seen.after is None or judging.is_spared(seen.asked, self._exempt):
            return lifecycle.allow()
        return judging.of(self._find(seen, seen.after))

    def _find(
        self, seen: pattern.Pattern, after: pattern.StackView
    ) -> collections.abc.Iterator[judging.Finding]:
        for each in self._limits:
            count = each.count(after)
            if each.deny_above is not None and count > each.deny_above:
                grows = count > each.count_made(seen.before)
                yield _finding(each, count, each.deny_above, is_denied=grows)
            elif (
                each.warn_above is not None
                and count > each.warn_above
                and not after.path
            ):
                yield _finding(each, count, each.warn_above, is_denied=False)


def _finding(
    limit: _Limit, count: int, above: int, is_denied: bool
) -> judging.Finding:
    what = "resources"
    if limit.types != ("*",):
        what += f" of {' or '.join(limit.types)}"
    text = f"{count} {what}, and {above} are the limit"
    if not is_denied:
        text = f"{count} {what}, more than {above}"
    if limit.text:
        text += f" ({limit.text})"
    ruling = lifecycle.Ruling.DENY if is_denied else lifecycle.Ruling.WARN
    return judging.Finding(ruling, text)
