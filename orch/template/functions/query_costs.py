"""What queries in YAQL cost: counted, and refused where there is no end.

The library limits the length of what a step gives. It does not limit how
often a value stands inside itself (forty steps make a list of a million
million members), nor what one call may compute (``pow(9, 99999999)``).
"""

import collections.abc
import typing

from yaql.language import contexts
from yaql.language import specs
from yaql.language import utils
from yaql.language import yaqltypes
from yaql.standard_library import math as math_library
from yaql.standard_library import strings as string_library

from orch.plugin import function
from orch.template.text import value_size

_CALL_SIZE = 400
"""What a call weighs at least."""
_SHARE = 10
"""Every call may read its value; that takes this part of making it."""
_MAX_VALUE_SIZE = 200_000
"""What one value may weigh."""
_MAX_BITS = 4096
"""How long a number may be that is raised to a power."""

Callable = collections.abc.Callable[..., object]
Number = int | float


class _Sizes:
    """Weighs the values of one query, each of them once."""

    def __init__(self) -> None:
        # The value is kept with its weight, so that no other gets its id.
        self._known: dict[int, tuple[object, int]] = {}

    def size_of(self, value: object) -> int:
        """Return the weight of a value.

        :raises ValueError: it is too large
        """
        if isinstance(value, str):
            return value_size.text_size(value)
        if not isinstance(value, tuple | list | utils.FrozenDict | frozenset):
            return 1
        known = self._known.get(id(value))
        if known is not None:
            return known[1]
        size = value_size.CONTAINER_SIZE + sum(map(self.size_of, value))
        if isinstance(value, utils.FrozenDict):
            size += sum(map(self.size_of, value.values()))
        if size > _MAX_VALUE_SIZE:
            raise ValueError(
                "Expression consumed too much memory: a value has more than"
                f" {_MAX_VALUE_SIZE} members, counted with all inside of it."
            )
        self._known[id(value)] = (value, size)
        return size


class Metered(contexts.Context):
    """A context that counts the calls made in it and below it."""

    def __init__(
        self,
        parent_context: contexts.ContextBase,
        scope: function.Scope | None = None,
        **options: object,
    ) -> None:
        super().__init__(  # type: ignore[no-untyped-call]
            parent_context, **options
        )
        if scope is None:
            assert isinstance(parent_context, Metered)
            self.scope: function.Scope = parent_context.scope
            self.sizes: _Sizes = parent_context.sizes
        else:
            self.scope = scope
            self.sizes = _Sizes()

    def __call__(self, *args: object, **options: object) -> Callable:
        """Count one call, and what it gives."""
        self.scope.spend(_CALL_SIZE)
        called = typing.cast(
            Callable,
            super().__call__(  # type: ignore[no-untyped-call]
                *args, **options
            ),
        )

        def counted(*args: object, **options: object) -> object:
            value = called(*args, **options)
            if _is_plain_iterator(value):
                return self._counted_members(value)
            self.scope.spend(self.sizes.size_of(value) // _SHARE)
            return value

        return counted

    def _counted_members(
        self, members: collections.abc.Iterator[object]
    ) -> collections.abc.Iterator[object]:
        """Yield the members, which may have no end."""
        for member in members:
            self.scope.spend(1)
            yield member


def _is_plain_iterator(
    value: object,
) -> typing.TypeGuard[collections.abc.Iterator[object]]:
    """Answer whether a value is an iterator, and not one of the library's.

    Those of the library may be read more than once.
    """
    return isinstance(value, collections.abc.Iterator) and type(
        value
    ).__module__ in ("builtins", "itertools")


def register_costs(context: contexts.ContextBase) -> None:
    """Put ours in the place of functions whose cost has no bound.

    :param context: the standard library
    """
    for of_library, ours in (
        (math_library.pow_, _power),
        (math_library.shift_bits_left, _shift),
        (math_library.round_, _round),
        (string_library.replace, _replace),
        (string_library.replace_with_dict, _replace_all),
    ):
        _remove(context, of_library)
        context.register_function(
            library_definition(context, of_library, ours)
        )


def _remove(context: contexts.ContextBase, of_library: Callable) -> None:
    """Remove a function of the library from a context and those above."""
    name = specs.get_function_definition(
        of_library, convention=context.convention
    ).name
    layer: contexts.ContextBase | None = context
    while layer is not None:
        for found in layer.get_functions(name)[0]:
            if found.payload is of_library:
                layer.delete_function(found)
        layer = layer.parent


def library_definition(
    context: contexts.ContextBase, of_library: Callable, ours: Callable
) -> specs.FunctionDefinition:
    """Return how YAQL calls a function of ours as it calls the library's.

    :param ours: called in its place; it takes the context too, in front
    """
    found: specs.FunctionDefinition = specs.get_function_definition(
        of_library, convention=context.convention
    )
    for parameter in found.parameters.values():
        parameter.position += 1
    found.payload = ours
    found.set_parameter("context", yaqltypes.Context())
    return found


def _power(
    context: Metered, a: Number, b: Number, c: Number | None = None
) -> object:
    bits = max(_bits(one) for one in (a, b, c or 0))
    if isinstance(a, int) and isinstance(b, int):
        if bits > _MAX_BITS or (c is None and _bits(a) * b > _MAX_BITS):
            raise ValueError("pow: the number is too large")
        context.scope.spend(bits**3 // 20_000)
    return math_library.pow_(a, b, c)


def _bits(number: Number) -> int:
    return number.bit_length() if isinstance(number, int) else 0


def _shift(context: Metered, value: int, bits_number: int) -> object:
    if bits_number > _MAX_BITS:
        raise ValueError("shiftBitsLeft: the number is too large")
    return math_library.shift_bits_left(value, bits_number)


def _round(context: Metered, number: Number, ndigits: int = 0) -> object:
    # No number has more digits that could be rounded away.
    nearest = max(ndigits, -_MAX_BITS)
    return math_library.round_(number, nearest)


def _replace(
    context: Metered, string: str, old: str, new: str, count: int = -1
) -> str:
    places = string.count(old)
    if count >= 0:
        places = min(places, count)
    if places * len(new) > _MAX_VALUE_SIZE:
        raise ValueError("replace: the text is too long")
    return string.replace(old, new, count)


def _replace_all(
    context: Metered,
    string: str,
    str_func: collections.abc.Callable[[object], str],
    replacements: collections.abc.Mapping[object, object],
    count: int = -1,
) -> str:
    for old, new in replacements.items():
        string = _replace(context, string, str_func(old), str_func(new), count)
    return string
