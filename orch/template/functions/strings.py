"""Functions that make texts, or take them apart."""

import hashlib

from orch.plugin import function
from orch.template.functions import listed
from orch.template.text import value_size
from orch.template.text import values

_PIECE = 4
"""What a text of a few characters weighs when it is made."""


class CfnJoin(listed.ListFunction):
    """Joins the texts of a list, with a delimiter between them."""

    __slots__ = ()

    usage = (
        'Incorrect arguments to "{name}" should be:'
        ' "{name}" : [ " ", [ "str1", "str2"]]'
    )

    def evaluate(self, scope: function.Scope) -> object:
        """Return the joined text."""
        delimiter, *lists = self.resolved_list(scope)
        texts = self._texts(lists)
        if not isinstance(delimiter, str):
            raise TypeError(f'"{self.name}" delimiter must be a string')
        scope.spend(len(texts) * value_size.text_size(delimiter))
        return delimiter.join(texts)

    def _texts(self, lists: list[object]) -> list[str]:
        texts: list[str] = []
        for one in lists:
            if one is None:
                continue
            if not values.is_list(one):
                raise TypeError(f'"{self.name}" must operate on a list')
            texts.extend(self.text_of(item) for item in one)
        return texts

    def text_of(self, value: object) -> str:
        """Return an item as text.

        :raises TypeError: it is none
        """
        if value is None:
            return ""
        if not isinstance(value, str):
            raise TypeError(
                f"Items to join must be strings not {repr(value)[:200]}"
            )
        return value


class ListJoin(CfnJoin):
    """Joins the items of one or more lists; maps and lists as JSON.

    Whatever is empty, zero or false stands for a list without items.
    """

    __slots__ = ()

    def check(self) -> None:
        """Refuse anything but a list of delimiter and lists."""
        arguments = values.plain_items(self.arguments)
        if not values.is_list(arguments) or len(arguments) < 2:
            raise ValueError(
                f'Incorrect arguments to "{self.name}" should be:'
                f' "{self.name}" : [ " ", [ "str1", "str2"] ...]'
            )

    def _texts(self, lists: list[object]) -> list[str]:
        return super()._texts([one or [] for one in lists])

    def text_of(self, value: object) -> str:
        """Return an item as text.

        :raises TypeError: it is a number or boolean
        """
        if value is None or isinstance(value, str):
            return value or ""
        if isinstance(value, list | dict):
            return values.as_json(value)
        raise TypeError(
            "Items to join must be string, map or list not"
            f" {repr(value)[:200]}"
        )


class StrSplit(function.Function):
    """Splits a text into a list, or gives one piece of it.

    A delimiter that is null stands for any white space.
    """

    __slots__ = ()

    def check(self) -> None:
        """Refuse a text or a map."""
        if isinstance(values.plain_items(self.arguments), str | dict):
            raise TypeError(self._usage("arguments"))

    def evaluate(self, scope: function.Scope) -> object:
        """Return the pieces, or the one at the given position."""
        arguments = self.resolved(scope)
        if not values.is_list(arguments) or len(arguments) < 2:
            raise ValueError(self._usage("arguments"))
        delimiter, text, *rest = arguments
        if text is None:
            return None
        if not isinstance(text, str):
            raise TypeError(
                f"{type(text).__name__!r} is not a string to split"
            )
        if not isinstance(delimiter, str | None):
            raise TypeError(f'"{self.name}" delimiter must be a string')
        pieces = text.split(delimiter)
        scope.spend(_PIECE * len(pieces))
        return self._piece(pieces, rest[0]) if rest else pieces

    def _piece(self, pieces: list[str], position: object) -> str:
        if not isinstance(position, str | int | float):
            raise TypeError(self._usage("index"))
        try:
            index = int(position)
        except ValueError:
            raise ValueError(self._usage("index")) from None
        try:
            return pieces[index]
        except IndexError:
            raise ValueError(
                f'Incorrect index to "{self.name}" should be between 0 and'
                f" {len(pieces) - 1}"
            ) from None

    def _usage(self, what: str) -> str:
        return (
            f'Incorrect {what} to "{self.name}" should be: "{self.name}" :'
            ' [ ",", "apples,pears", <index>]'
        )


class CfnSplit(listed.ListFunction):
    """Splits a text into a list."""

    __slots__ = ()

    usage = (
        'Incorrect arguments to "{name}" should be:'
        ' "{name}" : [ ",", "str1,str2"]'
    )

    def evaluate(self, scope: function.Scope) -> object:
        """Return the pieces; the delimiter is taken as it is written."""
        text = self.resolved_list(scope)[1]
        delimiter = values.need_list(self.name, self.arguments)[0]
        if not isinstance(text, str):
            raise TypeError(
                f"String to split must be string; got {type(text)}"
            )
        if not isinstance(delimiter, str):
            raise TypeError(f'Delimiter for "{self.name}" must be string')
        pieces = text.split(delimiter)
        scope.spend(_PIECE * len(pieces))
        return pieces


class Digest(function.Function):
    """Gives the digest of a text by a named algorithm, as hexadecimals."""

    __slots__ = ()

    def evaluate(self, scope: function.Scope) -> object:
        """Return the digest."""
        arguments = self.resolved(scope)
        if not values.is_list(arguments) or not all(
            isinstance(one, str) for one in arguments
        ):
            raise TypeError(
                f'Argument to function "{self.name}" must be a list of strings'
            )
        if len(arguments) != 2:
            raise ValueError(
                f'Function "{self.name}" usage: ["<algorithm>", "<value>"]'
            )
        algorithm, text = map(str, arguments)
        known = sorted(map(str.lower, hashlib.algorithms_available))
        if algorithm.lower() not in known:
            raise ValueError(f"Algorithm must be one of {known}")
        return hashlib.new(
            algorithm.lower(), text.encode("latin-1")
        ).hexdigest()


class Base64(function.Function):
    """Gives its text; services encode it themselves where they need to."""

    __slots__ = ()

    def evaluate(self, scope: function.Scope) -> object:
        """Return the text as it is."""
        text = self.resolved(scope)
        if not isinstance(text, str):
            raise TypeError(f'"{self.name}" argument must be a string')
        return text


class GetFile(function.Function):
    """A function for including a file inline."""

    __slots__ = ()

    def evaluate(self, scope: function.Scope) -> object:
        """Return the text."""
        name = self.resolved(scope)
        if not isinstance(name, str):
            raise TypeError(f'Argument to "{self.name}" must be a string')
        text = scope.file(name)
        if text is None:
            raise ValueError(
                'No content found in the "files" section for'
                f" {self.name} path: {name}"
            )
        return text
