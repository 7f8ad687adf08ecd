"""How sensitive values are written for users."""

import json
import typing

TEXT: typing.Final = "(sensitive)"
"""Stands for a value that is not shown."""

_REDACTED: typing.Final = "******"
"""Stands for a value that the service does not send."""
_WRITTEN: typing.Final = json.dumps(_REDACTED)


def is_redacted(value: object) -> bool:
    """Whether the service has sent no value, as it is sensitive."""
    return value == _REDACTED


def json_text(value: object, *, ensure_ascii: bool = True) -> str:
    """Format a value as JSON, with ``(sensitive)`` for what is redacted."""
    written = json.dumps(
        value, sort_keys=True, ensure_ascii=ensure_ascii, default=str
    )
    return written.replace(_WRITTEN, TEXT)
