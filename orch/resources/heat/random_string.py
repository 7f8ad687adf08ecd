"""``OS::Heat::RandomString``: a password, a token, a unique suffix."""

import collections.abc
import secrets
import string
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import no_physical_resource
from orch.plugin import type_files

_CLASSES: typing.Final[collections.abc.Mapping[str, str]] = {
    "lettersdigits": string.ascii_letters + string.digits,
    "letters": string.ascii_letters,
    "lowercase": string.ascii_lowercase,
    "uppercase": string.ascii_uppercase,
    "digits": string.digits,
    "hexdigits": string.digits + "ABCDEF",
    "octdigits": string.octdigits,
}
_MAX_LENGTH = 512
_CLASS: typing.Final = "lettersdigits"


class Pool(typing.NamedTuple):
    """Characters to draw from, and the minimum number to draw."""

    characters: str
    minimum: int


@type_files.described("OS::Heat::RandomString")
class RandomString(no_physical_resource.EffectFreeResource):
    """A random string that stays the same as long as the resource lives."""

    has_sensitive_reference = True

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse minimums that do not fit into the length."""
        length = typing.cast("int", properties.get("length", _MAX_LENGTH))
        needed = sum(pool.minimum for pool in _pools(properties))
        if length < needed:
            raise errors.Invalid(
                f"the length {length} is smaller than the {needed} characters"
                " that character_classes and character_sequences require at"
                " least; raise length or lower their min",
            )

    def reference_id(self, context: call_context.Context) -> str:
        """Return the string itself; the physical name before it is made."""
        return str(context.data.get("value", context.physical_name))

    def create(
        self, context: call_context.Context
    ) -> call_context.CreateResult:
        """Draw the string and hand it back as data."""
        self.validate(context.properties)
        length = typing.cast("int", context.properties["length"])
        value = draw(length, _pools(context.properties))
        return call_context.CreateResult(
            context.physical_name, {"value": value}
        )

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return the string, as ``value``."""
        return {"value": context.data["value"]} if context.data else {}


def draw(length: int, pools: collections.abc.Sequence[Pool]) -> str:
    """Return random characters, of each pool at least its minimum.

    :param length: not below the sum of the minimums
    """
    characters = [
        secrets.choice(pool.characters)
        for pool in pools
        for _ in range(pool.minimum)
    ]
    union = "".join(pool.characters for pool in pools)
    rest = length - len(characters)
    characters.extend(secrets.choice(union) for _ in range(rest))
    secrets.SystemRandom().shuffle(characters)
    return "".join(characters)


def _pools(properties: collections.abc.Mapping[str, object]) -> list[Pool]:
    """Return what to draw from.

    :raises orch.errors.Invalid: there is no character to draw
    """
    if properties.get("sequence"):
        return [Pool(_CLASSES[str(properties["sequence"])], 1)]
    pools = [
        Pool(_CLASSES[str(item.get("class", _CLASS))], _minimum(item))
        for item in _maps(properties.get("character_classes"))
    ] + [
        Pool(str(item.get("sequence", "")), _minimum(item))
        for item in _maps(properties.get("character_sequences"))
    ]
    if not pools and "character_classes" in properties:
        raise errors.Invalid(
            "character_classes and character_sequences are both empty; name"
            " at least one set of characters"
        )
    if any(not pool.characters for pool in pools):
        raise errors.Invalid(
            "a sequence in character_sequences is empty; it needs at least"
            " one character"
        )
    return pools


def _minimum(item: collections.abc.Mapping[str, object]) -> int:
    return typing.cast("int", item.get("min", 1))


def _maps(
    value: object,
) -> list[collections.abc.Mapping[str, object]]:
    return typing.cast(
        "list[collections.abc.Mapping[str, object]]", value or []
    )
