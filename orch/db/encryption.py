"""Encrypts what may hold a secret on its way into the database.

Column types that seal (:mod:`orch.db.types`) find the cipher of their
database by its dialect, of which each database has one of its own. What was
stored before there was a key is read as it stands.
"""

import base64
import binascii
import collections.abc
import importlib
import typing
import weakref

import sqlalchemy as sa
from oslo_config import cfg

from orch import errors
from orch.conf import credentials as credentials_conf
from orch.conf import encryption as encryption_conf

PREFIX: typing.Final = "orch1:"
"""Of each sealed value; neither JSON nor a compressed text begins so."""
BYTES_PREFIX: typing.Final = PREFIX.encode()

_KEY_SIZE = 32
_NOTHING = frozenset({"{}", "[]", "null", ""})
"""Texts that are stored as they are: they say that nothing is there."""


class BadKey(errors.OrchError):
    """A key of the options is none, or there is none."""

    code = "orch.encryption.bad_key"


class Unreadable(errors.OrchError):
    """None of the keys opens what the database holds."""

    code = "orch.encryption.unreadable"


class _Keys(typing.Protocol):
    """What we need of ``cryptography.fernet.MultiFernet``."""

    def encrypt(self, msg: bytes) -> bytes:
        """Return a token."""

    def decrypt(self, msg: bytes) -> bytes:
        """Return what a token holds."""


class Cipher:
    """Seals with the first key, opens with each.

    What encrypts needs memory: it is loaded when it is first needed.
    """

    def __init__(
        self, keys: collections.abc.Sequence[str] = (), *, seals: bool = False
    ) -> None:
        """Take the keys.

        :param seals: whether new values are encrypted
        :raises BadKey: one of them is none, or there is none to seal with
        """
        check(keys)
        if seals and not keys:
            raise BadKey(
                "encrypt_parameters_and_properties is true, and there is no"
                " key in [credentials] encryption_keys: set one that"
                " orch-manage credential-key new has made."
            )
        self._texts = tuple(keys)
        self.seals = seals
        self._loaded: _Keys | None = None
        self._first: _Keys | None = None

    def seal(self, text: str) -> str:
        """Return what is to be stored of a text."""
        if not self.seals or text in _NOTHING:
            return text
        token = self._keys().encrypt(text.encode("utf-8", "surrogatepass"))
        return PREFIX + token.decode()

    def open(self, stored: str) -> str:
        """Return the text that was stored, sealed or not.

        :raises Unreadable: none of the keys opens it
        """
        if not stored.startswith(PREFIX):
            return stored
        found = self._open(stored[len(PREFIX) :].encode())
        return found.decode("utf-8", "surrogatepass")

    def seal_bytes(self, found: bytes) -> bytes:
        """Return what is to be stored of bytes."""
        if not self.seals:
            return found
        token = self._keys().encrypt(found)
        return BYTES_PREFIX + base64.urlsafe_b64decode(token)

    def open_bytes(self, stored: bytes) -> bytes:
        """Return the bytes that were stored, sealed or not.

        :raises Unreadable: none of the keys opens them
        """
        if not stored.startswith(BYTES_PREFIX):
            return stored
        return self._open(_token(stored))

    def is_current(self, stored: str | bytes) -> bool:
        """Answer whether it stands as it would be stored now.

        Sealed with the first key where values are sealed, else not at all.
        """
        if isinstance(stored, bytes):
            is_sealed = stored.startswith(BYTES_PREFIX)
            is_nothing = False
        else:
            is_sealed = stored.startswith(PREFIX)
            is_nothing = stored in _NOTHING
        if not self.seals or not is_sealed:
            return is_nothing or is_sealed == self.seals
        if isinstance(stored, bytes):
            token = _token(stored)
        else:
            token = stored[len(PREFIX) :].encode()
        if self._first is None:
            self._first = _load(self._texts[:1])
        try:
            self._first.decrypt(token)
        except _invalid():
            return False
        return True

    def _open(self, token: bytes) -> bytes:
        try:
            if self._texts:
                return self._keys().decrypt(token)
        except _invalid():
            pass
        raise Unreadable(
            "None of the keys in [credentials] encryption_keys opens what the"
            " database holds: give all workers the same keys, the old ones"
            " too."
        ) from None

    def _keys(self) -> _Keys:
        if self._loaded is None:
            self._loaded = _load(self._texts)
        return self._loaded


_CIPHERS: weakref.WeakKeyDictionary[sa.Dialect, Cipher]
_CIPHERS = weakref.WeakKeyDictionary()


def attach(dialect: sa.Dialect, cipher: Cipher) -> None:
    """Let the columns of one database be sealed by a cipher."""
    _CIPHERS[dialect] = cipher


def cipher_of(dialect: sa.Dialect) -> Cipher:
    """Return the cipher of a database; one that seals nothing by default."""
    return _CIPHERS.get(dialect, _NONE)


def from_conf(conf: cfg.ConfigOpts) -> Cipher:
    """Return the cipher that the options describe.

    :raises BadKey: there is no key, or a wrong one
    """
    encryption_conf.SECTION.register(conf)
    credentials_conf.SECTION.register(conf)
    return Cipher(
        conf.credentials.encryption_keys,
        seals=conf.encrypt_parameters_and_properties,
    )


def check(keys: collections.abc.Iterable[str]) -> None:
    """Return only if all are keys; nothing that encrypts is loaded for it.

    :raises BadKey: one is none; which one, and not what it says
    """
    for number, each in enumerate(keys, 1):
        try:
            size = len(
                base64.b64decode(each.encode(), altchars=b"-_", validate=True)
            )
        except (binascii.Error, ValueError):
            size = 0
        if size != _KEY_SIZE:
            raise BadKey(
                f"Key {number} in [credentials] encryption_keys is none: make"
                " one with orch-manage credential-key new."
            )


def _token(stored: bytes) -> bytes:
    return base64.urlsafe_b64encode(stored[len(BYTES_PREFIX) :])


def _load(keys: collections.abc.Sequence[str]) -> _Keys:
    fernet = importlib.import_module("cryptography.fernet")
    found: _Keys = fernet.MultiFernet([fernet.Fernet(key) for key in keys])
    return found


def _invalid() -> type[Exception]:
    fernet = importlib.import_module("cryptography.fernet")
    found: type[Exception] = fernet.InvalidToken
    return found


_NONE: typing.Final = Cipher()
