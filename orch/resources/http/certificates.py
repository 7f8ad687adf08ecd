"""The certificates that a service is checked by: of the template, or a file.

A file is the operator's, in one directory. Whatever is at a path, a template
gets the same error, so that it tells nothing of the worker's disk.
"""

import collections.abc
import contextlib
import dataclasses
import os
import pathlib
import ssl
import stat
import tempfile
import typing

from orch import errors

MAX_BYTES: typing.Final = 1 << 20
_CERT: typing.Final = "tls.ca_cert"
_FILE: typing.Final = "tls.ca_file"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """How the certificate of a service is checked.

    :ivar verify: whether it is checked at all
    :ivar ca_cert: certificates to trust alone, as PEM; empty for the usual
        ones
    :ivar ca_file: name of a file of the operator with such; empty for none
    """

    verify: bool = True
    ca_cert: str = ""
    ca_file: str = ""

    def read(self, directory: str) -> str:
        """Return the certificates to trust alone; empty for the usual ones.

        None are read where nothing is checked.

        :param directory: that of the operator's files
        :raises orch.errors.Invalid: there are none such
        """
        if not self.verify:
            return ""
        if self.ca_cert and self.ca_file:
            raise errors.property_error(
                "tls", "has both ca_cert and ca_file; give one of them"
            )
        if self.ca_file:
            return read_certificates(directory, self.ca_file)
        if self.ca_cert:
            return parse_certificates(self.ca_cert)
        return ""

    @contextlib.contextmanager
    def open(
        self, directory: str
    ) -> collections.abc.Iterator[bool | str | None]:
        """Give ``verify`` as requests takes it, while one is sent.

        :raises orch.errors.Invalid: see :meth:`read`
        """
        trusted = self.read(directory)
        if not trusted:
            # What the session says, or nothing.
            yield None if self.verify else False
            return
        with tempfile.NamedTemporaryFile("w", prefix="orch-ca-") as file:
            file.write(trusted)
            file.flush()
            yield file.name


DEFAULT_TRUST: typing.Final = Trust()
"""How services are checked whose template says nothing of it."""


def parse_certificates(text: str) -> str:
    """Return a text with certificates, without letters that are not ASCII.

    :raises orch.errors.Invalid: it has none
    """
    found = _find_pem(text.encode("utf-8", "replace"))
    if not found:
        raise errors.property_error(_CERT, "has no certificates in PEM form")
    return found


def read_certificates(directory: str, name: str) -> str:
    """Return the certificates in a file of the operator.

    :param directory: that of all such files; empty where there is none
    :raises orch.errors.Invalid: there is no such file, or it has none
    """
    instead = f"give the certificates themselves in {_CERT}"
    if not directory:
        raise errors.property_error(
            _FILE,
            "is not enabled here: the operator has not set [http_resource]"
            f" ca_dir; {instead}",
        )
    if "/" in name:
        raise errors.property_error(
            _FILE,
            "has to be a name, without any '/', of a file in the directory of"
            f" the operator ([http_resource] ca_dir); or {instead}",
        )
    try:
        content = _read_regular(pathlib.Path(directory).resolve(), name)
    except (OSError, ValueError, RuntimeError):
        # Of links in a circle pathlib of Python 3.11 makes a RuntimeError.
        content = b""
    text = _find_pem(content)
    if not text:
        raise errors.property_error(
            _FILE,
            f"{name[:255]!r} is no file of certificates in the directory of"
            f" the operator ([http_resource] ca_dir); name another one, or"
            f" {instead}",
        )
    return text


def _read_regular(directory: pathlib.Path, name: str) -> bytes:
    """Return what is in a regular file in a directory.

    :raises OSError: it cannot be read
    :raises ValueError: it is something else, too long, or elsewhere
    """
    path = (directory / name).resolve()
    if not path.is_relative_to(directory):
        raise ValueError("a link leads out")
    # One that has no writer would hold the thread.
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise ValueError("no regular file")
        content = stream.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError("too long")
    return content


def _find_pem(content: bytes) -> str:
    """Return the text of certificates; empty where there are none.

    Comments beside them may have any letters, which OpenSSL does not take.
    """
    text = content.decode("ascii", "ignore")
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(cadata=text)
    except (ssl.SSLError, ValueError):
        return ""
    return text
