"""``OS::Zun::Container``: a container that Zun runs."""

import re
import typing

from orch import errors
from orch.plugin import call_context
from orch.resources.openstack import base
from orch.resources.openstack import errors as cloud_errors
from orch.resources.openstack import wire

_RESTART: typing.Final = "restart_policy"
_NETS: typing.Final = "nets"
_ADDRESS_4: typing.Final = "v4-fixed-ip"
_ADDRESS_6: typing.Final = "v6-fixed-ip"
_POLICY: typing.Final = re.compile(
    r"(?P<name>no|always|on-failure|unless-stopped)(:(?P<count>\d+))?"
)
_MEBIBYTES: typing.Final = re.compile(r"(\d+)[Mm]?")


class Container(base.OpenStackResource):
    """A container; it runs from its creation on."""

    def validate(self, properties: wire.Body) -> None:
        """Refuse a policy of restarts that Zun does not know.

        :raises orch.errors.Invalid: it has another form than ``name:count``
        """
        super().validate(properties)
        given = properties.get(_RESTART)
        if given and not _POLICY.fullmatch(str(given)):
            raise errors.Invalid(
                f"{_RESTART}: {given} is none of no, always, on-failure,"
                " on-failure:COUNT and unless-stopped."
            )

    def body_of_properties(
        self, context: call_context.Context
    ) -> dict[str, object]:
        """Return the request, with the policy of restarts as a map."""
        body = super().body_of_properties(context)
        found = _POLICY.fullmatch(str(body.get(_RESTART) or ""))
        if found:
            body[_RESTART] = {
                "Name": found["name"],
                "MaximumRetryCount": found["count"] or "0",
            }
        if _NETS in body:
            body[_NETS] = [_with_family(e) for e in wire.to_maps(body[_NETS])]
        return body

    def check_status(self, body: wire.Body) -> call_context.Pending | None:
        """Answer ``None`` where it runs, or has run to its end.

        :raises InError: it failed, or is interactive and ran to its end
        """
        if body.get("status") == "Stopped" and body.get("interactive"):
            raise cloud_errors.InError.of("Stopped", body.get("status_reason"))
        return super().check_status(body)

    def normalise(self, name: str, value: object) -> object:
        """Return memory, which Zun shows with a unit, as a number of MiB."""
        if name == "memory":
            found = _MEBIBYTES.fullmatch(str(value))
            return int(found[1]) if found else value
        return super().normalise(name, value)


def _with_family(net: wire.Body) -> wire.Body:
    """Return a network whose address is under the key of its family."""
    address = str(net.get(_ADDRESS_4) or "")
    if ":" not in address:
        return net
    others = {name: net[name] for name in net if name != _ADDRESS_4}
    return {**others, _ADDRESS_6: address}
