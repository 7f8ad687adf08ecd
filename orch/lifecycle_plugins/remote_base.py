"""Base of the plug-ins that get verdicts from other programs."""

import abc
import collections.abc
import typing

from orch.lifecycle_plugins import wire
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_settings

PROPERTIES: typing.Final[dict[str, object]] = {
    "phases": {
        "type": "array",
        "minItems": 1,
        "items": {"enum": ["pre", "post"]},
    },
    "verbs": lifecycle_settings.VERBS,
    "parts": {"type": "array", "items": {"enum": list(wire.PARTS)}},
    "every_stack": {"type": "boolean"},
    "previews": {"type": "boolean"},
    "ordinal": {"type": "integer"},
    "before": lifecycle_settings.TEXTS,
    "after": lifecycle_settings.TEXTS,
    "time_limit": lifecycle_settings.SECONDS,
}
"""Settings that all of them have."""

_TIME_LIMIT_S: typing.Final = 30.0
_MARGIN_S: typing.Final = 5.0


class RemotePlugin(lifecycle.LifecyclePlugin, abc.ABC):
    """Calls another program before and after operations.

    It comes after those that need no other program, which cost less.
    """

    ordinal = 200
    needs_settings = True

    def __init__(
        self,
        name: str,
        settings: object,
        schema: collections.abc.Mapping[str, object],
    ) -> None:
        """Read the settings.

        :raises orch.errors.Invalid: they are wrong
        """
        super().__init__(name, settings)
        given = lifecycle_settings.check(settings, schema)
        self._given = given
        self._parts = given.get("parts", wire.PARTS)
        self._phases = given.get("phases", ("pre", "post"))
        self._limit_s: float = given.get("time_limit", _TIME_LIMIT_S)
        # Our own limit comes first, as it can say what was waited for.
        self.time_limit_s = self._limit_s + _MARGIN_S
        if "verbs" in given:
            self.verbs = frozenset(given["verbs"])
        if given.get("every_stack"):
            self.scope = lifecycle.Scope.EVERY_STACK
        self.supports_preview = given.get("previews", False)
        self.ordinal = given.get("ordinal", self.ordinal)
        self.before = lifecycle_settings.texts(given.get("before", []))
        self.after = lifecycle_settings.texts(given.get("after", []))

    @abc.abstractmethod
    def ask(self, call: bytes, call_id: str) -> bytes:
        """Return what the other service answers to a call.

        :raises orch.errors.OrchError: nothing came, or no success
        """

    def pre_operation(
        self, operation: lifecycle_operation.LifecycleOperation
    ) -> lifecycle.Verdict:
        """Return their verdict."""
        if "pre" not in self._phases:
            return lifecycle.allow()
        call = wire.written(operation, self.name, self._parts)
        return wire.verdict(self.ask(call, wire.call_id(operation, self.name)))

    def post_operation(
        self,
        operation: lifecycle_operation.LifecycleOperation,
        ended: lifecycle.OperationResult,
    ) -> None:
        """Tell them how it has ended."""
        if "post" in self._phases:
            call = wire.written(operation, self.name, self._parts, ended)
            self.ask(call, wire.call_id(operation, self.name, ended))
