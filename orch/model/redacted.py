"""What is shown in place of a value that nobody may see.

It comes back in what people write: one text everywhere tells it from theirs.
"""

import typing

TEXT: typing.Final = "******"
