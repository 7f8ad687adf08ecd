"""Post the events of a stack to an address that its user names."""

import collections.abc
import json
import pathlib
import time
import typing
import urllib.parse

import requests
from oslo_config import cfg

from orch import errors
from orch.clients import deadlines
from orch.clients import egress
from orch.clients import webhooks
from orch.plugin import cloud_events
from orch.plugin import read_only_values
from orch.plugin import sink

CONNECT_S: typing.Final = 3.0
ANSWER_S: typing.Final = 5.0
MAX_REQUEST_S: typing.Final = CONNECT_S + ANSWER_S
"""How long all of it may take, however little by little an answer comes."""

_NEVER: typing.Final = frozenset({400, 413, 422})
"""Status codes of a receiver that will never take an event. All others may
pass: by its owner, or by time."""
_TARGET: typing.Final = "target"
_SECRET: typing.Final = "secret"  # noqa: S105 - the name of a key


class Webhook(sink.EventSink):
    """Sends a ``POST`` an event, signed where a secret is set.

    The secret of the sink overrides those of the installation.
    """

    type_name = "webhook"
    keys = ("type", _TARGET, _SECRET, cloud_events.FORMAT)
    secrets = frozenset({_SECRET})
    max_s = MAX_REQUEST_S

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        """Read the secrets of the installation.

        :raises orch.errors.Invalid: there is none in the file
        """
        super().__init__(conf)
        self._egress = egress.from_conf(conf)
        self._keys = _keys(conf.event_sinks.secret_file)

    @classmethod
    def faults(
        cls, declared: sink.Declared
    ) -> collections.abc.Iterable[sink.Fault]:
        """Return the faults of its address, its format and its secret."""
        yield from cloud_events.find_faults(declared)
        why = webhooks.find_fault(str(declared[_TARGET]))
        if why is not None:
            yield sink.Fault(
                _TARGET, f'the "target" of a webhook is wrong: {why}'
            )
        if _SECRET not in declared:
            return
        given = declared[_SECRET]
        try:
            if not isinstance(given, str):
                raise errors.Invalid(f'"{_SECRET}" must be a text')
            webhooks.parse_key(given, f'"{_SECRET}"')
        except errors.Invalid as error:
            yield sink.Fault(
                _SECRET,
                f"what signs a webhook is wrong: {error.message}",
                f"Give {webhooks.MIN_KEY_BYTES} characters or more, or"
                f" {webhooks.PREFIX} and base64.",
            )

    @classmethod
    def destination(cls, declared: sink.Declared) -> str:
        """Return the host and the port."""
        return urllib.parse.urlsplit(str(declared[_TARGET])).netloc.lower()

    def send(
        self,
        declared: sink.Declared,
        event: sink.SinkEvent,
        owner: sink.Owner,
    ) -> None:
        """Post the event; no redirect is followed, and no answer is read.

        :raises orch.plugin.sink.SinkRefused: the receiver will never take it
        :raises orch.plugin.sink.SinkUnreachable: none came in time
        :raises orch.errors.Transient: it answers that it does not take it now
        """
        url = str(declared[_TARGET])
        host = self.destination(declared)
        body = json.dumps(
            read_only_values.thaw(cloud_events.body_of(declared, event)),
            default=str,
        ).encode()
        own = declared.get(_SECRET)
        keys = (
            [webhooks.parse_key(own, _SECRET)]
            if isinstance(own, str)
            else self._keys
        )
        try:
            with (
                deadlines.Deadline(self.max_s) as deadline,
                egress.open_session(
                    self._egress, deadline=deadline
                ) as session,
                session.post(
                    url,
                    data=body,
                    headers={
                        "content-type": cloud_events.CONTENT_TYPE
                        if cloud_events.is_declared(declared)
                        else "application/json",
                        "user-agent": "orch",
                        **webhooks.signature_headers(
                            keys, event.id, time.time(), body
                        ),
                    },
                    timeout=(CONNECT_S, ANSWER_S),
                    allow_redirects=False,
                    stream=True,
                ) as answer,
            ):
                if deadline.is_over:
                    raise sink.SinkUnreachable(
                        f"{host} gives no answer in time"
                    )
                _check_answer(host, answer.status_code)
        except (requests.RequestException, OSError) as error:
            raise sink.SinkUnreachable(
                f"{host} gives no answer: {webhooks.describe_error(error)}"
            ) from error


def _check_answer(host: str, status: int) -> None:
    """Raise an error if the receiver has not taken the event."""
    if 200 <= status < 300:
        return
    said = f"{host} answers {status}"
    if status in _NEVER:
        raise sink.SinkRefused(said)
    raise errors.Transient(said)


def _keys(path: str) -> list[bytes]:
    """Return the secrets of the installation, the newest first.

    :raises orch.errors.Invalid: the file cannot be read, or holds none
    """
    if not path:
        return []
    named = "[event_sinks] secret_file"
    try:
        text = pathlib.Path(path).read_text("utf-8")
    except (OSError, ValueError) as error:
        raise errors.Invalid(
            f"{named}: {path} cannot be read: {error}"
        ) from error
    return webhooks.parse_keys(text, named)
