"""JSON in and out.

orjson does the work. It turns whole numbers beyond 64 bits into floats and
refuses to write them, so a text that may hold one goes through the standard
library, which is slower and exact.
"""

import json

import orjson

from orch import errors

# Every digit becomes 0, so that a search for zeros finds a long number; ten
# times as fast as a regular expression.
_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_LONG_NUMBER = b"0" * 19


def loads(text: bytes) -> object:
    """Return the value that a JSON text stands for.

    :raises orch.errors.Invalid: the text is not JSON
    """
    try:
        if _LONG_NUMBER in text.translate(_ZEROS):
            return json.loads(text)
        return orjson.loads(text)
    except (ValueError, RecursionError) as error:
        raise errors.Invalid(f"The body is not JSON: {error}.") from error


def dumps(value: object) -> bytes:
    """Return the value as JSON text; what JSON cannot say becomes a string.

    Keys that are no strings are written as Python's own library does.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, default=str).encode()
