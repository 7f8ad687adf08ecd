"""The tags of a stack: which there may be, and how many."""

import collections.abc
import typing

from orch import errors

MAX_TAGS: typing.Final = 50
MAX_TAG_LENGTH: typing.Final = 80


def check_tags(tags: collections.abc.Sequence[object]) -> None:
    """Raise an error unless a stack may have these tags.

    :raises orch.errors.LimitExceeded: there are too many
    :raises orch.errors.Invalid: one is no tag
    """
    if len(tags) > MAX_TAGS:
        raise errors.LimitExceeded(
            f"tags: {len(tags)} are given, and a stack has at most {MAX_TAGS}:"
            " leave some out."
        )
    for each in tags:
        if not _is_tag(each):
            raise errors.Invalid(
                f"tags: {str(each)[:100]!r} is no tag: 1 to {MAX_TAG_LENGTH}"
                " characters, no comma, all of them printable."
            )


def _is_tag(value: object) -> bool:
    return (
        isinstance(value, str)
        and bool(value.strip())
        and "," not in value
        and len(value) <= MAX_TAG_LENGTH
        and value.isprintable()
    )
