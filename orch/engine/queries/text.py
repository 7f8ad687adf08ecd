"""Check texts of a caller before a query: whether they can match.

PostgreSQL refuses a text with a NUL, and no database takes half a surrogate
pair; no row can hold such a text, so looking for it finds nothing.
"""

import collections.abc
import uuid

_MAX_CHARACTERS = 1024


def is_storable(text: str) -> bool:
    """Whether a row can hold the text."""
    if len(text) > _MAX_CHARACTERS or "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def storable_texts(texts: collections.abc.Iterable[str]) -> list[str]:
    """Return those of the texts that a row can hold."""
    return [text for text in texts if is_storable(text)]


def is_id(text: str) -> bool:
    """Whether the text is a UUID in the form of our rows."""
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False
