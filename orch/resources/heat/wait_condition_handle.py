"""``OS::Heat::WaitConditionHandle``: where servers send their signals."""

import collections.abc
import json
import shlex
import typing

from orch import errors
from orch.plugin import addresses
from orch.plugin import call_context
from orch.plugin import type_files
from orch.resources.signals import entries
from orch.resources.signals import handle

_TOKEN = "TOKEN_SIGNAL"  # noqa: S105 - a way, no secret
_CFN = "CFN_SIGNAL"
_NEEDS: typing.Final = {
    "TEMP_URL_SIGNAL": "an object store (Swift)",
    "HEAT_SIGNAL": "users of an identity service (Keystone)",
    "ZAQAR_SIGNAL": "a message service (Zaqar)",
}


@type_files.described("OS::Heat::WaitConditionHandle")
class HeatWaitConditionHandle(handle.Handle):
    """A handle that takes signals with any JSON object, or with none.

    What a signal leaves out has a default: it is then one of success, with
    the next number as its id.
    """

    words = entries.HEAT_WORDS

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse ways of signals that need a service we have no client of.

        :raises orch.errors.NotSupported: it is such a way
        """
        chosen = str(properties.get("signal_transport", _TOKEN))
        if chosen in _NEEDS:
            raise errors.NotSupported(
                f"signal_transport {chosen} needs {_NEEDS[chosen]}, which is"
                f" not served here; use {_TOKEN} or {_CFN}"
            )

    def address_data(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object]:
        """Return the address that the chosen way needs.

        :raises orch.plugin.addresses.NoKey: no address can be sealed
        """
        self.validate(context.properties)
        created = addresses.Addresses(self.conf)
        chosen = context.properties["signal_transport"]
        if chosen == _CFN:
            return {"url": created.wait_condition(context)}
        if chosen == _TOKEN:
            return {"url": created.signal(context)}
        return {}

    def complete(self, known: entries.Entries, details: object) -> object:
        """Return the signal with defaults for what was left out."""
        return entries.with_defaults(known, details, self.words)

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return what a sender has to know; nothing for NO_SIGNAL."""
        url = context.data.get("url")
        if not isinstance(url, str):
            return {"signal": "{}"}
        found = {"signal": json.dumps({"alarm_url": url})}
        if context.properties.get("signal_transport") != _TOKEN:
            return found
        return {**found, "token": "", "endpoint": url, "curl_cli": _curl(url)}


def _curl(url: str) -> str:
    """Return the command, the address quoted for a shell."""
    return (
        "curl -i -X POST -H 'Content-Type: application/json'"
        f" -H 'Accept: application/json' {shlex.quote(url)}"
    )
