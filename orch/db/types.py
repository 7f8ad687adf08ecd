"""Column types: how the database stores values of the model."""

import collections.abc
import dataclasses
import enum
import json
import typing

import orjson
import sqlalchemy as sa
from sqlalchemy import types
from sqlalchemy.dialects import mysql

from orch.db import encryption
from orch.model import marked

# White space before a document is legal JSON; ours tells the reader that
# the fast parser would not read this one as it was written.
_SLOW = " "

# A text without a 64 KiB limit.
_EMPTY: typing.Final = "{}"
_Bind = collections.abc.Callable[[object], str | None]
_Result = collections.abc.Callable[[typing.Any], object]
_LONG_TEXT = sa.Text().with_variant(mysql.LONGTEXT(), "mysql")


def _plain(value: object) -> object:
    if isinstance(value, collections.abc.Mapping):
        return dict(value)
    if isinstance(value, collections.abc.Set):
        return sorted(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def dump(value: object) -> str:
    """Return the value as JSON text.

    Integers beyond 64 bits and lone surrogates, which orjson refuses, are
    written by the standard library and marked for :func:`load`.

    :raises TypeError: something inside has no form in JSON
    """
    try:
        return orjson.dumps(value, default=_plain).decode("utf-8")
    except TypeError:
        return _SLOW + json.dumps(value, default=_plain)


def load(text: str) -> object:
    """Return what :func:`dump` wrote."""
    if text.startswith(_SLOW):
        return typing.cast(object, json.loads(text))
    return typing.cast(object, orjson.loads(text))


def storable(text: str) -> str:
    """Return the text with what databases refuse replaced by ``U+FFFD``.

    That is NUL (PostgreSQL) and lone surrogates (all), which reach us in
    messages of programs that we do not know.
    """
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Json(types.TypeDecorator[object]):
    """A JSON document as text: never queried inside, so no JSON column.

    Each row has a dozen, most of them empty: values pass one function.
    """

    impl = _LONG_TEXT
    cache_ok = True

    def bind_processor(self, dialect: sa.Dialect) -> _Bind:
        """Return what makes JSON text of a value."""
        write = self._writer(dialect)

        def bind(value: object) -> str | None:
            if value is None:
                return None
            if not value and type(value) is dict:
                return _EMPTY
            return write(value)

        return bind

    def result_processor(
        self, dialect: sa.Dialect, coltype: object
    ) -> _Result:
        """Return what makes a value of JSON text."""
        read = self._reader(dialect)

        def result(text: str | None) -> object:
            if text is None:
                return None
            return {} if text == _EMPTY else read(text)

        return result

    def _writer(
        self, dialect: sa.Dialect
    ) -> collections.abc.Callable[[object], str]:
        return dump

    def _reader(
        self, dialect: sa.Dialect
    ) -> collections.abc.Callable[[str], object]:
        return load


class JsonList(Json):
    """A JSON list, a tuple in the model."""

    cache_ok = True

    def _reader(
        self, dialect: sa.Dialect
    ) -> collections.abc.Callable[[str], object]:
        read = super()._reader(dialect)
        return lambda text: tuple(typing.cast(list[object], read(text)))


class SealedJson(Json):
    """A JSON document that may hold a secret: encrypted where options say.

    Never compared or searched in the database, where the same value stands
    in another way each time.
    """

    cache_ok = True

    def _writer(
        self, dialect: sa.Dialect
    ) -> collections.abc.Callable[[object], str]:
        seal = encryption.cipher_of(dialect).seal
        return lambda value: seal(dump(value))

    def _reader(
        self, dialect: sa.Dialect
    ) -> collections.abc.Callable[[str], object]:
        """Return a function that raises ``orch.db.encryption.Unreadable``."""
        open_, read = (
            encryption.cipher_of(dialect).open,
            super()._reader(dialect),
        )
        return lambda text: read(open_(text))


class MarkedJson(SealedJson):
    """A map that knows what is sensitive in it, see ``model.marked``.

    One without marks is stored as it is, one with marks as a list: the map,
    and the paths.
    """

    cache_ok = True

    def _writer(
        self, dialect: sa.Dialect
    ) -> collections.abc.Callable[[object], str]:
        write = super()._writer(dialect)
        return lambda value: write(self.document(value))

    def document(self, value: object) -> object:
        """Return the document to store."""
        paths = marked.paths_of(value)
        return [value, paths] if paths else value

    def _reader(
        self, dialect: sa.Dialect
    ) -> collections.abc.Callable[[str], object]:
        read_ = super()._reader(dialect)

        def read(text: str) -> object:
            found = read_(text)
            if isinstance(found, list):
                values, paths = found
                return marked.Marked(values, map(tuple, paths))
            return found

        return read


class SealedJsonList(SealedJson, JsonList):
    """A JSON list that may hold a secret, a tuple in the model."""

    cache_ok = True


class SealedBlob(types.TypeDecorator[bytes]):
    """Bytes that may hold a secret, of any length, see :class:`SealedJson`.

    What is no secret must not begin as sealed bytes do.
    """

    impl = sa.LargeBinary().with_variant(mysql.LONGBLOB(), "mysql")
    cache_ok = True

    def process_bind_param(
        self, value: bytes | None, dialect: sa.Dialect
    ) -> bytes | None:
        """Return the bytes, sealed."""
        if value is None:
            return None
        return encryption.cipher_of(dialect).seal_bytes(value)

    def process_result_value(
        self, value: bytes | None, dialect: sa.Dialect
    ) -> bytes | None:
        """Return the bytes.

        :raises orch.db.encryption.Unreadable: no key opens them
        """
        if value is None:
            return None
        return encryption.cipher_of(dialect).open_bytes(bytes(value))


class FreeText(types.TypeDecorator[str]):
    """Text of any length and any origin, see :func:`storable`."""

    impl = _LONG_TEXT
    cache_ok = True

    def process_bind_param(
        self, value: str | None, dialect: sa.Dialect
    ) -> str | None:
        """Return text that the database takes."""
        return None if value is None else storable(value)


class SealedText(FreeText):
    """Text that may hold a secret, see :class:`SealedJson`.

    What is no secret must not begin as a sealed text does.
    """

    cache_ok = True

    def process_bind_param(
        self, value: str | None, dialect: sa.Dialect
    ) -> str | None:
        """Return text that the database takes, sealed."""
        text = super().process_bind_param(value, dialect)
        return (
            None if text is None else encryption.cipher_of(dialect).seal(text)
        )

    def process_result_value(
        self, value: str | None, dialect: sa.Dialect
    ) -> str | None:
        """Return the text.

        :raises orch.db.encryption.Unreadable: no key opens it
        """
        if value is None:
            return None
        return encryption.cipher_of(dialect).open(value)


SEALED: typing.Final = (SealedJson, SealedText, SealedBlob)
"""The types whose values are encrypted where options say."""


class Word(types.TypeDecorator[str]):
    """A member of one of the model's enumerations, by its value."""

    impl = sa.String(16)
    cache_ok = True

    def __init__(self, kind: type[enum.StrEnum]) -> None:
        """Store members of ``kind``."""
        super().__init__()
        self.kind = kind

    def result_processor(
        self, dialect: sa.Dialect, coltype: object
    ) -> collections.abc.Callable[[str | None], str | None]:
        """Return what gives the member; ValueError where the word is none.

        Calling the enumeration takes four times as long as a look-up, and
        lists have a thousand words.
        """
        return _Members(self.kind).__getitem__


class _Members(dict[str | None, str | None]):
    """The members of an enumeration by their values; ``None`` has ``None``."""

    def __init__(self, kind: type[enum.StrEnum]) -> None:
        super().__init__({str(each): each for each in kind})
        self[None] = None
        self._kind = kind

    def __missing__(self, value: str | None) -> str:
        """Raise ValueError, as the enumeration has no such member."""
        return self._kind(str(value))


def uuid() -> sa.String:
    """Return the type of an identifier, a UUID in its usual text form."""
    return sa.String(36)


def digest() -> sa.String:
    """Return the type of a SHA-256 in hexadecimal digits."""
    return sa.String(64)


def label() -> sa.String:
    """Return the type of a name that people or other services chose."""
    return sa.String(255)


def moment() -> sa.Double[float]:
    """Return the type of a moment, seconds since 1970 UTC."""
    return sa.Double()


def number() -> types.TypeEngine[int]:
    """Return the type of a counter; SQLite counts up only in INTEGER."""
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def blob() -> types.TypeEngine[bytes]:
    """Return the type of bytes without a 64 KiB limit."""
    return sa.LargeBinary().with_variant(mysql.LONGBLOB(), "mysql")
