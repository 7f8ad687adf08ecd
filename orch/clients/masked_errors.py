"""A login whose errors do not reveal its credentials.

Keystone names a trust that it does not find, and plug-ins show users why they
failed.
"""

import collections.abc
import contextlib
import logging
import typing

import keystoneauth1.exceptions
import requests
from keystoneauth1 import access
from keystoneauth1 import identity
from keystoneauth1 import plugin
from keystoneauth1 import session as sessions

REDACTED: typing.Final = "***"
_LOG = logging.getLogger("keystoneauth.session")


class RedactingLogin(identity.BaseIdentityPlugin):
    """Logs in as another auth plug-in does, and redacts its errors."""

    def __init__(
        self,
        wrapped: identity.BaseIdentityPlugin,
        words: collections.abc.Iterable[str],
    ) -> None:
        """Ask nothing yet.

        :param words: what its errors are not to say
        """
        super().__init__(auth_url=wrapped.auth_url)
        self._wrapped_login = wrapped
        self._words = tuple(words)

    def get_auth_ref(self, session: sessions.Session) -> access.AccessInfo:
        """Log in.

        :raises keystoneauth1.exceptions.ClientException: it is refused, or
            there is no answer
        """
        with self.masking():
            return self._wrapped_login.get_auth_ref(session)

    def around(self, other: identity.BaseIdentityPlugin) -> "RedactingLogin":
        """Return another login that keeps the same words to itself."""
        return RedactingLogin(other, self._words)

    @contextlib.contextmanager
    def masking(self) -> collections.abc.Iterator[None]:
        """Let errors out without the words."""
        try:
            yield
        except keystoneauth1.exceptions.ClientException as error:
            error.args = tuple(map(self.without, error.args))
            for name in ("message", "details"):
                if hasattr(error, name):
                    setattr(error, name, self.without(getattr(error, name)))
            raise error from None

    def without(self, message: object) -> object:
        """Return a text without the words; anything else as it is."""
        if not isinstance(message, str):
            return message
        for word in self._words:
            message = message.replace(word, REDACTED)
        return message


class Session(sessions.Session):
    """Sends requests to services by a redacted login."""

    masked: RedactingLogin

    def request(
        self, *args: typing.Any, **kwargs: typing.Any
    ) -> requests.Response:
        """Ask; what a service says of the login is masked too.

        :raises keystoneauth1.exceptions.ClientException: as always
        """
        kwargs.setdefault("logger", _Log(_LOG, {"masked": self.masked}))
        with self.masked.masking():
            return super().request(*args, **kwargs)


class _Log(logging.LoggerAdapter[logging.Logger]):
    """Logs requests and answers when debugging, without secrets."""

    def process(
        self,
        msg: object,
        kwargs: collections.abc.MutableMapping[str, typing.Any],
    ) -> tuple[object, collections.abc.MutableMapping[str, typing.Any]]:
        """Return what is to be logged."""
        known = (self.extra or {})["masked"]
        assert isinstance(known, RedactingLogin)
        return known.without(msg), kwargs


def redact_login(
    login: plugin.BaseAuthPlugin, words: collections.abc.Iterable[str]
) -> plugin.BaseAuthPlugin:
    """Return a login that does the same, and keeps these words to itself."""
    if not isinstance(login, identity.BaseIdentityPlugin):
        return login
    return RedactingLogin(login, words)


def open_session(
    auth: plugin.BaseAuthPlugin, **options: typing.Any
) -> sessions.Session:
    """Return a session that logs in so, and keeps to itself what that does.

    :param options: as of keystoneauth's
    """
    if not isinstance(auth, RedactingLogin):
        return sessions.Session(auth=auth, **options)
    created = Session(auth=auth, **options)
    created.masked = auth
    return created
