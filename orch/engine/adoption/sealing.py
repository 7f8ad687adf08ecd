"""Seal the secrets in a stack's document for one installation.

What may hold a secret is taken out, and encrypted for a public key: values of
parameters, metadata, data that types store, data of signals, the templates of
child stacks, and the key of announcements. The seal also authenticates all
that stays readable, so any change breaks it. See
``doc/adr/0009-secrets-in-documents-are-sealed.md``.
"""

import base64
import binascii
import collections.abc
import copy
import importlib
import json
import secrets
import types
import typing

from orch import errors
from orch import json_depth
from orch.engine.adoption import compact
from orch.model import adoption

Document = dict[str, object]

SEAL: typing.Final = "seal"
"""Key of the seal in a document."""

VERSION: typing.Final = 1
"""Version of the form of sealed documents."""

SEALED_TEXT: typing.Final = "(sealed)"
"""Replaces a secret: a text where a map must be, so that a document without
its seal is refused."""

_PURPOSE = b"orch adoption document 1"
_KEY_SIZE = 32
_OF_ENTRY = (
    "metadata",
    "properties",
    "resource_data",
    "signals",
    adoption.KEY,
)
_TEMPLATE = "template"
_TEMPLATES = compact.TEMPLATES
_OF_ENVIRONMENT = ("parameters", "parameter_defaults")


class BadKey(errors.Invalid):
    """A text is not a key of an installation."""

    code = "orch.adoption.bad_key"


class BrokenSeal(errors.Invalid):
    """A sealed document was altered, or is not for this installation."""

    code = "orch.adoption.broken_seal"


def new_key() -> str:
    """Return a new private key, in the form of the options."""
    return _text(secrets.token_bytes(_KEY_SIZE))


def public_key(private_key: str) -> str:
    """Return the public key that others seal documents for: 43 characters.

    :raises BadKey: the text is no private key
    """
    return _text(_public(private_key))


def check_private(private_keys: collections.abc.Iterable[str]) -> None:
    """Raise BadKey if one of the texts is not a private key.

    It does not load the libraries that encrypt.

    :raises BadKey: names the number of the key, and not its text
    """
    for number, each in enumerate(private_keys, 1):
        try:
            size = len(_bytes(each))
        except BadKey:
            size = 0
        if size != _KEY_SIZE:
            raise BadKey(
                f"Key {number} in [adoption] private_keys is no private key:"
                " make one with orch-manage adoption-key new."
            )


def check_recipient(receiver: str) -> None:
    """Raise BadKey if documents cannot be sealed for a public key.

    :raises BadKey: the key is not usable
    """
    try:
        _curve().check(_bytes(receiver))
    except ValueError:
        raise _bad_key(receiver) from None


def seal_document(
    document: Document, receiver: str, *, is_child: bool = False
) -> Document:
    """Return the document with its secrets encrypted.

    :param receiver: the public key of the installation that may read them
    :param is_child: it is the document of a child stack
    :raises BadKey: it is not a public key
    """
    sealed = copy.deepcopy(document)
    places = list(_places(sealed, is_child=is_child))
    hidden = [[list(path), holder[path[-1]]] for path, holder in places]
    for path, holder in places:
        holder[path[-1]] = SEALED_TEXT
    # A key of this document alone.
    own = new_key()
    head: Document = {
        "version": VERSION,
        "receiver": receiver,
        "sender": public_key(own),
    }
    sealed[SEAL] = head
    check_recipient(receiver)
    text = _curve().encrypt(
        _bytes(own),
        _bytes(receiver),
        _purpose(head),
        _canonical(hidden),
        _canonical(sealed),
    )
    head["secrets"] = _text(text)
    return sealed


def open_document(
    document: Document, private_keys: collections.abc.Iterable[str]
) -> Document:
    """Return the document with its secrets decrypted, if it is sealed.

    :raises BrokenSeal: it was altered, or none of the keys opens it
    """
    if SEAL not in document:
        return document
    found = copy.deepcopy(document)
    head = found[SEAL]
    if not isinstance(head, dict) or head.get("version") != VERSION:
        raise BrokenSeal(
            "The adoption data is sealed in a way that this installation does"
            f" not know; it knows version {VERSION}."
        )
    receiver, sender = str(head.get("receiver")), str(head.get("sender"))
    own = _find_key(receiver, private_keys)
    try:
        text = _bytes(head.pop("secrets", None))
        opened = _curve().decrypt(
            own, _bytes(sender), _purpose(head), text, _canonical(found)
        )
    except (ValueError, BadKey):
        raise BrokenSeal(
            "The adoption data was altered after it was sealed: adopt the"
            " document as it was given."
        ) from None
    del found[SEAL]
    try:
        for path, value in json_depth.parse_json(opened):
            _put(found, path, value)
    except (ValueError, TypeError, LookupError):
        # All who have the public key can seal any text.
        raise BrokenSeal(
            "The seal of the adoption data holds something else than secrets"
            " of this document: export the stack again."
        ) from None
    return found


def _find_key(
    receiver: str, private_keys: collections.abc.Iterable[str]
) -> bytes:
    for each in private_keys:
        if public_key(each) == receiver:
            return _bytes(each)
    raise BrokenSeal(
        f"The adoption data is sealed for the key {receiver[:43]}, which this"
        " installation does not have: export it again, with the public key"
        " of this installation as receiver."
    )


def _places(
    document: Document, path: tuple[str, ...] = (), *, is_child: bool
) -> collections.abc.Iterator[tuple[tuple[str, ...], Document]]:
    """Yield where secrets may be, each with the map that holds it.

    The template of a child stack is one of these places: its parent computed
    it, with the values of parameters in it.
    """
    if is_child and document.get(_TEMPLATE):
        yield (*path, _TEMPLATE), document
    if document.get(_TEMPLATES):
        yield (*path, _TEMPLATES), document
    environment = document.get("environment")
    if isinstance(environment, dict):
        for name in _OF_ENVIRONMENT:
            if environment.get(name):
                yield (*path, "environment", name), environment
    for name in _OF_ENTRY:
        if document.get(name):
            yield (*path, name), document
    resource_map = document.get("resources")
    for name, entry in (
        resource_map.items() if isinstance(resource_map, dict) else ()
    ):
        if isinstance(entry, dict):
            yield from _places(
                entry, (*path, "resources", name), is_child=True
            )
    left = document.get("leftovers")
    for index, entry in enumerate(left if isinstance(left, list) else ()):
        if isinstance(entry, dict):
            yield from _places(
                entry, (*path, "leftovers", str(index)), is_child=True
            )


def _put(document: Document, path: list[str], value: object) -> None:
    """Put a secret back; the seal has authenticated its path."""
    holder: typing.Any = document
    for each in path[:-1]:
        holder = holder[int(each) if isinstance(holder, list) else each]
    holder[path[-1]] = value


def _curve() -> types.ModuleType:
    """Return the module that encrypts, imported at its first use."""
    return importlib.import_module("orch.engine.adoption.hybrid_encryption")


def _purpose(head: Document) -> bytes:
    """Return the purpose, which binds a seal to its two keys."""
    parties = f"{head['sender']} {head['receiver']}".encode()
    return _PURPOSE + b" " + parties


def _public(private_key: str) -> bytes:
    """Return the public half of a private key.

    :raises BadKey: it is not a private key
    """
    try:
        found: bytes = _curve().public_key(_bytes(private_key))
    except (ValueError, BadKey):
        # The text is not shown: it may be a key but for one character.
        raise BadKey(
            "A private key in [adoption] private_keys is none: make one with"
            " orch-manage adoption-key new."
        ) from None
    return found


def _text(found: bytes) -> str:
    return base64.urlsafe_b64encode(found).rstrip(b"=").decode()


def _bytes(text: object) -> bytes:
    """Return the bytes that a text encodes.

    :raises BadKey: it is not base64
    """
    if not isinstance(text, str):
        raise _bad_key(text)
    try:
        return base64.b64decode(
            text + "=" * (-len(text) % 4), altchars=b"-_", validate=True
        )
    except (binascii.Error, ValueError):
        raise _bad_key(text) from None


def _bad_key(found: object) -> BadKey:
    return BadKey(
        f"{str(found)[:80]!r} is no public key of an installation: there"
        " orch-manage adoption-key show prints it, 43 characters."
    )


def _canonical(value: object) -> bytes:
    """Return the canonical JSON of a value: maps are sorted by key."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
