"""Bases of the handles that wait conditions refer to."""

import abc
import collections.abc
import dataclasses
import typing

from orch.plugin import addresses
from orch.plugin import call_context
from orch.plugin import no_physical_resource
from orch.plugin import signals
from orch.resources.signals import entries


class Handle(no_physical_resource.EffectFreeResource, abc.ABC):
    """Takes signals and stores them; it has no physical resource."""

    takes_signals = True
    words: typing.ClassVar[entries.Words]
    """How it calls the parts of a signal."""

    @abc.abstractmethod
    def address_data(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object]:
        """Return what it remembers of where signals are sent to.

        :raises orch.plugin.addresses.NoKey: no address can be sealed
        """

    def create(
        self, context: call_context.Context
    ) -> call_context.CreateResult:
        """Make the address.

        :raises orch.plugin.addresses.NoKey: no address can be sealed
        """
        return call_context.CreateResult(
            context.physical_name, self.address_data(context)
        )

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Make an address here: that of the document leads elsewhere.

        :raises orch.plugin.addresses.NoKey: no address can be sealed
        """
        signal_data = {
            k: value for k, value in given.data.items() if k != "url"
        }
        return dataclasses.replace(
            given, data={**signal_data, **self.address_data(context)}
        )

    def given_address(self, context: call_context.Context) -> str | None:
        """Return the address that was made."""
        url = context.data.get("url")
        return url if isinstance(url, str) else None

    def shown_metadata(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object]:
        """Return its metadata and, by their ids, all signals."""
        return {
            **context.metadata,
            **entries.show_entries(context.signals, self.words),
        }

    def handle_signal(
        self, context: call_context.Context, details: object
    ) -> signals.SignalResult:
        """Keep a signal under its id; the same once more changes nothing.

        :raises entries.BadSignal: it has not the form that this handle takes
        """
        known = context.signals
        given = self.complete(known, details)
        signal_data, entry = entries.add_entry(known, given, self.words)
        reason = f"Signal: status:{entry['status']} reason:{entry['reason']}"
        return signals.SignalResult(
            signal_data=signal_data,
            reason="" if signal_data == known else reason,
            answer=entries.show_entries(signal_data, self.words),
        )

    def forget_failures(
        self, signals: collections.abc.Mapping[str, object]
    ) -> collections.abc.Mapping[str, object]:
        """Return the signals of success."""
        return entries.without_failures(signals)

    def complete(self, known: entries.Entries, details: object) -> object:
        """Return the signal with what the handle adds to it: nothing."""
        return details


class CfnHandle(Handle):
    """A handle whose reference is the address that signals are sent to."""

    words = entries.CFN_WORDS

    def address_data(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object]:
        """Return the address for PUT.

        :raises orch.plugin.addresses.NoKey: no address can be sealed
        """
        url = addresses.Addresses(self.conf).wait_condition(context)
        return {"url": url}

    def reference_id(self, context: call_context.Context) -> str:
        """Return the address; the physical name before it is made."""
        return str(context.data.get("url", context.physical_name))
