"""Encrypt from one key to another: X25519, HKDF, ChaCha20-Poly1305.

Keys are 32 bytes. This module is not imported at start: its libraries take 10
MB, and few installations ever seal a document.
"""

import typing

from cryptography import exceptions
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import x25519
from cryptography.hazmat.primitives.ciphers import aead
from cryptography.hazmat.primitives.kdf import hkdf

KEY_SIZE: typing.Final = 32
_NONCE: typing.Final = bytes(12)


def public_key(private: bytes) -> bytes:
    """Return the public half of a key.

    :raises ValueError: it has another size
    """
    own = x25519.X25519PrivateKey.from_private_bytes(private)
    return own.public_key().public_bytes(
        serialization.Encoding.Raw, serialization.PublicFormat.Raw
    )


def check(public: bytes) -> None:
    """Raise ValueError if nothing can be encrypted for a public key.

    :raises ValueError: the key is not usable
    """
    other = x25519.X25519PublicKey.from_public_bytes(public)
    x25519.X25519PrivateKey.generate().exchange(other)


def encrypt(
    private: bytes, public: bytes, purpose: bytes, text: bytes, beside: bytes
) -> bytes:
    """Encrypt a text so that only the other key can decrypt it.

    :param private: a key that is used once: the nonce never changes
    :param purpose: binds the result to its use
    :param beside: what stays readable and is authenticated too
    :raises ValueError: a key is not usable
    """
    cipher = _cipher(private, public, purpose)
    return cipher.encrypt(_NONCE, text, beside)


def decrypt(
    private: bytes, public: bytes, purpose: bytes, text: bytes, beside: bytes
) -> bytes:
    """Decrypt a text that was encrypted with the same purpose and ``beside``.

    :raises ValueError: something was altered, or a key is not usable
    """
    cipher = _cipher(private, public, purpose)
    try:
        return cipher.decrypt(_NONCE, text, beside)
    except exceptions.InvalidTag as error:
        raise ValueError("it was altered") from error


def _cipher(
    private: bytes, public: bytes, purpose: bytes
) -> aead.ChaCha20Poly1305:
    own = x25519.X25519PrivateKey.from_private_bytes(private)
    other = x25519.X25519PublicKey.from_public_bytes(public)
    derived = hkdf.HKDF(
        algorithm=hashes.SHA256(), length=KEY_SIZE, salt=None, info=purpose
    ).derive(own.exchange(other))
    return aead.ChaCha20Poly1305(derived)
