"""JSON as it travels between parts of one process."""

import json

import orjson
from oslo_serialization import jsonutils

from orch import json_depth

# What orjson would write without asking is left to jsonutils, so that a value
# looks the same as after a trip over RabbitMQ.
_AS_JSONUTILS = (
    orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)

# White space before a document is legal JSON; ours tells the reader that
# orjson refuses this one (lone surrogates) or would read it as something else
# (integers beyond 64 bits become floats).
_SLOW = b" "


def pack_message(value: object) -> bytes:
    """Return the value as JSON.

    :raises orch.json_depth.TooDeepError: it is nested too deep to be packed
    :raises ValueError: it holds something that JSON cannot express
    :raises TypeError: likewise
    """
    try:
        return orjson.dumps(value, option=_AS_JSONUTILS)
    except TypeError:
        try:
            text: str = jsonutils.dumps(value)
        except RecursionError:
            raise json_depth.TooDeepError from None
        return _SLOW + text.encode()


def unpack_message(body: bytes) -> object:
    """Return what :func:`pack_message` packed, as fresh lists and maps."""
    value: object
    if body.startswith(_SLOW):
        value = json.loads(body)
    else:
        value = orjson.loads(body)
    return value
