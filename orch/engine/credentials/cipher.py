"""Encrypt the credentials of stacks, so that the database cannot show them.

Fernet (AES-128-CBC and HMAC-SHA256), by a list of keys that can be changed.
"""

import collections.abc
import json

from cryptography import fernet

from orch import errors


class BadKey(errors.OrchError):
    """A key in the options is not valid, or there is none."""

    code = "orch.credentials.bad_key"


class Unreadable(errors.Permanent):
    """None of the keys decrypts a credential."""

    code = "orch.credentials.unreadable"


class Cipher:
    """Encrypts with the first key, decrypts with any."""

    def __init__(self, keys: collections.abc.Sequence[str]) -> None:
        """Load the keys.

        :raises BadKey: there is none, or one is not valid
        """
        if not keys:
            raise BadKey(
                "There is no key in [credentials] encryption_keys: set one"
                " that orch-manage credential-key new has made."
            )
        try:
            self._keys = fernet.MultiFernet([fernet.Fernet(k) for k in keys])
        except ValueError:
            # The text is not shown: it may be a key but for one character.
            raise BadKey(
                "A key in [credentials] encryption_keys is none: make one"
                " with orch-manage credential-key new."
            ) from None

    def seal(self, secret: collections.abc.Mapping[str, str]) -> str:
        """Return the secret encrypted, as the database stores it."""
        return self._keys.encrypt(json.dumps(dict(secret)).encode()).decode()

    def open(self, sealed: str) -> dict[str, str]:
        """Return the decrypted secret.

        :raises Unreadable: none of the keys decrypts it
        """
        try:
            found: dict[str, str] = json.loads(
                self._keys.decrypt(sealed.encode())
            )
        except fernet.InvalidToken:
            raise _unreadable() from None
        return found

    def rotated(self, sealed: str) -> str:
        """Return a secret encrypted again, with the first key.

        :raises Unreadable: none of the keys decrypts it
        """
        try:
            return self._keys.rotate(sealed.encode()).decode()
        except fernet.InvalidToken:
            raise _unreadable() from None


def _unreadable() -> Unreadable:
    return Unreadable(
        "None of the keys in [credentials] encryption_keys opens the"
        " credential of the stack: give all workers the same keys, the old"
        " ones too."
    )
