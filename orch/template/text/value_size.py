"""What values weigh: how much work it is to pass them on, once.

The unit is about what one number in a list takes: some 16 bytes, and less
than a tenth of a microsecond. One part of a template may stand in many
places at no cost, as an alias in YAML or by ``get_param``; it is weighed in
each of them, because whoever writes the value down writes it each time.
"""

import collections.abc

CONTAINER_SIZE = 8
"""An empty list or map."""
_ITEM_SIZE = 2
_ENTRY_SIZE = 6
_CHARACTERS = 16

Spend = collections.abc.Callable[[int], None]
"""Counts work; raises when there is none left."""


def text_size(text: str) -> int:
    """Return the weight of a text."""
    # Other letters take four bytes each, or six in JSON.
    return 1 + len(text) // (_CHARACTERS if text.isascii() else 4)


def spend_value_size(value: object, spend: Spend) -> None:
    """Spend the weight of a value, however deep, as long as there is some.

    :raises Exception: what ``spend`` raises; the rest stays unread
    """
    if isinstance(value, str):
        spend(text_size(value))
    waiting = [value] if isinstance(value, list | dict) else []
    while waiting:
        one = waiting.pop()
        members: collections.abc.Iterable[object] = one
        work = CONTAINER_SIZE
        if isinstance(one, dict):
            members = one.values()
            work += _ENTRY_SIZE * len(one) + sum(map(len, one)) // _CHARACTERS
        else:
            work += _ITEM_SIZE * len(one)
        for member in members:
            if isinstance(member, str):
                work += text_size(member)
            elif isinstance(member, list | dict):
                waiting.append(member)
        spend(work)
