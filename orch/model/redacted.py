"""The text shown in place of a redacted value.

It comes back in what people write: one text everywhere tells it from theirs.
"""

import typing

TEXT: typing.Final = "******"
