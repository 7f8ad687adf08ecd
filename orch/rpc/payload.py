"""JSON as it travels between parts of one process."""

import orjson
from oslo_serialization import jsonutils

# What orjson would write without asking is left to jsonutils, so that a value
# looks the same as after a trip over RabbitMQ.
_AS_JSONUTILS = (
    orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)


def pack(value: object) -> bytes:
    """Return the value as JSON.

    :raises ValueError: it holds something that JSON cannot express
    :raises TypeError: likewise
    """
    try:
        return orjson.dumps(value, option=_AS_JSONUTILS)
    except TypeError:
        text: str = jsonutils.dumps(value)
        return text.encode()


def unpack(body: bytes) -> object:
    """Return what :func:`pack` packed, as fresh lists and maps."""
    value: object = orjson.loads(body)
    return value
