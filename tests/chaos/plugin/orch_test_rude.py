"""``Test::Rude::Thing``: does in its calls whatever a plug-in must not."""

import collections.abc
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import resource
from orch.plugin import schema


class NamelessError(Exception):
    """Cannot even be turned into text."""

    def __str__(self) -> str:
        raise ValueError("no text")


class UnpicklableError(Exception):
    """Cannot be copied: it wants arguments that nobody has."""

    def __init__(self, one: object, two: object) -> None:
        super().__init__("unpicklable")
        self.held = (one, two, lambda: None)


def _leave() -> typing.NoReturn:
    raise SystemExit(3)


def _interrupt() -> typing.NoReturn:
    raise KeyboardInterrupt


def _exhaust() -> typing.NoReturn:
    raise MemoryError


def _recurse() -> object:
    return _recurse()


def _close() -> typing.NoReturn:
    raise GeneratorExit


def _raise_nameless() -> typing.NoReturn:
    raise NamelessError


def _cling() -> typing.NoReturn:
    raise UnpicklableError(1, 2)


def _garble() -> typing.NoReturn:
    raise errors.Permanent("a lone surrogate \udc80 and a NUL \x00")


def _shout() -> typing.NoReturn:
    raise errors.Permanent("long " * 100_000)


ACTS: dict[str, collections.abc.Callable[[], object]] = {
    "leave": _leave,
    "interrupt": _interrupt,
    "exhaust": _exhaust,
    "recurse": _recurse,
    "close": _close,
    "hide": _raise_nameless,
    "cling": _cling,
    "garble": _garble,
    "shout": _shout,
    "none": lambda: None,
    "bytes": lambda: b"thing",
    "empty": lambda: "",
    "number": lambda: 7,
    "set": lambda: call_context.CreateResult("thing", {"held": {1, 2}}),
    "no_map": lambda: call_context.CreateResult(
        "thing",
        typing.cast(collections.abc.Mapping[str, object], [1]),
    ),
    "made_of_number": lambda: call_context.CreateResult(typing.cast(str, 7)),
    "late": lambda: call_context.Pending(after_s=typing.cast(float, "soon")),
    "nan": lambda: call_context.Pending(after_s=float("nan")),
}


class RudeResource(resource.Resource):
    """Misbehaves in the call that ``where`` names, in the way of ``how``."""

    type_name = "Test::Rude::Thing"
    has_late_effects = False
    properties = (
        schema.Property("where", schema.Type.STRING, default="nowhere"),
        schema.Property("how", schema.Type.STRING, default="none"),
    )
    attributes = (schema.Attribute("value", schema.Type.STRING),)

    def is_effect_free(
        self, properties: collections.abc.Mapping[str, object]
    ) -> bool:
        return bool(self._answer("is_effect_free", properties, False))

    def create(self, context: call_context.Context) -> call_context.PhysicalId:
        return typing.cast(
            str, self._answer("create", context.properties, context.token)
        )

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        return typing.cast(
            None, self._answer("is_created", context.properties, None)
        )

    def delete(self, context: call_context.Context) -> None:
        self._answer("delete", context.properties, None)

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | None:
        return None

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        return typing.cast(
            dict[str, object],
            self._answer("read_attributes", context.properties, {"value": ""}),
        )

    @staticmethod
    def _answer(
        where: str,
        properties: collections.abc.Mapping[str, object],
        usual: object,
    ) -> object:
        if properties["where"] != where:
            return usual
        return ACTS[str(properties["how"])]()
