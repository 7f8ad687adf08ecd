"""JSON in and out.

orjson does the work. It turns whole numbers beyond 64 bits into floats and
refuses to write them, so a text that may hold one goes through the standard
library, which is slower and exact.
"""

import json
from xml.etree import ElementTree

import orjson

from orch import errors
from orch import json_depth

# Every digit becomes 0, so that a search for zeros finds a long number; ten
# times as fast as a regular expression.
_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_LONG_NUMBER = b"0" * 19


def loads(text: bytes) -> object:
    """Return the value that a JSON text stands for.

    :raises orch.errors.Invalid: the text is not JSON, or nested too deep
    """
    try:
        if _LONG_NUMBER in text.translate(_ZEROS):
            return json_depth.parse_json(text)
        value = _parse(text)
        if text.count(b"[") + text.count(b"{") > json_depth.MAX_DEPTH:
            json_depth.check_depth(value)
        return value
    except json_depth.TooDeepError as error:
        raise errors.Invalid(
            f"The body of the request is refused: {error}"
        ) from error
    except ValueError as error:
        raise errors.Invalid(f"The body is not JSON: {error}.") from error


def _parse(text: bytes) -> object:
    """Return the value.

    :raises orch.json_depth.TooDeepError: the library refuses so deep a text
    :raises ValueError: it is no JSON
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if error.msg.startswith("depth limit"):
            raise json_depth.TooDeepError from None
        raise


def dumps(value: object) -> bytes:
    """Return the value as JSON text; what JSON cannot say becomes a string.

    Keys that are no strings are written as Python's own library does.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, default=str).encode()


def fill_xml(element: ElementTree.Element, value: object, item: str) -> None:
    """Put a value of JSON into an element, maps and lists as children.

    :param item: what children of lists are called
    """
    if isinstance(value, dict):
        for key, inner in value.items():
            fill_xml(ElementTree.SubElement(element, str(key)), inner, item)
    elif isinstance(value, list):
        for inner in value:
            fill_xml(ElementTree.SubElement(element, item), inner, item)
    elif isinstance(value, bool):
        element.text = str(value).lower()
    elif value is not None:
        element.text = _legible(str(value))


def _legible(text: str) -> str:
    """Return the text, what XML cannot hold as question marks."""
    return "".join(
        each
        if each in "\t\n\r"
        or " " <= each <= "\ud7ff"
        or "\ue000" <= each <= "\ufffd"
        or each >= "\U00010000"
        else "?"
        for each in text
    )
