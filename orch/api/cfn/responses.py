"""Answers as XML, or as JSON where ``ContentType=JSON`` asks for that."""

import typing
from xml.etree import ElementTree

from orch.api import codec

NAMESPACE: typing.Final = "http://cloudformation.amazonaws.com/doc/2010-05-15/"

Body = dict[str, object]


def result(action: str, found: object, request_id: str) -> Body:
    """Return the answer to an action.

    :param found: map of what it tells; empty where it tells nothing
    """
    return {
        f"{action}Response": {
            f"{action}Result": found,
            "ResponseMetadata": {"RequestId": request_id},
        }
    }


def error(aws_code: str, message: str, status: int, request_id: str) -> Body:
    """Return the answer to what failed."""
    return {
        "ErrorResponse": {
            "Error": {
                "Type": "Sender" if status < 500 else "Receiver",
                "Code": aws_code,
                "Message": message,
            },
            "RequestId": request_id,
        }
    }


def dumps(body: Body, *, is_json: bool) -> tuple[str, bytes]:
    """Return type and text of an answer, values that are missing left out.

    :param body: one key, which is the outermost element
    """
    present = _present(body)
    if is_json:
        return "application/json", codec.dumps(present)
    ((name, value),) = present.items()
    root = ElementTree.Element(name, {"xmlns": NAMESPACE})
    codec.fill_xml(root, value, "member")
    text: bytes = ElementTree.tostring(
        root, encoding="utf-8", xml_declaration=True
    )
    return "text/xml", text


def _present(value: typing.Any) -> typing.Any:
    if isinstance(value, dict):
        return {
            key: _present(inner)
            for key, inner in value.items()
            if inner is not None
        }
    if isinstance(value, list):
        return [_present(inner) for inner in value]
    return value
