"""The addresses at which a resource takes signals without a token.

For plug-ins, which pass them to servers. The API serves them and checks
their seals (``orch.context.seals``).
"""

import urllib.parse

from oslo_config import cfg

from orch import errors
from orch.context import seals
from orch.plugin import call_context


class NoKey(errors.Permanent):
    """The operator has set no key to seal addresses with."""

    code = "orch.signals.no_key"


class Addresses:
    """Builds addresses by the options in ``[signals]``."""

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        """Store the options; each address reads them anew."""
        self._conf = conf

    def signal(self, context: call_context.Context) -> str:
        """Return the address where POST takes any JSON value as a signal.

        It is the same for the same resource as long as the options are.

        :raises NoKey: no address can be sealed
        """
        return self._sealed(seals.SIGNAL, context)

    def wait_condition(self, context: call_context.Context) -> str:
        """Return the address where PUT takes ``Status``, ``Reason``, ….

        :raises NoKey: no address can be sealed
        """
        return self._sealed(seals.WAIT_CONDITION, context)

    def of_resource(self, context: call_context.Context) -> str:
        """Return the address of the resource in the API; not sealed."""
        parts = (context.stack_project, "stacks", context.stack_name)
        path = "/".join(
            urllib.parse.quote(part, "")
            for part in (*parts, context.stack_id, "resources", context.name)
        )
        return f"{self._base()}/v1/{path}"

    def _sealed(self, kind: str, context: call_context.Context) -> str:
        keys = self._conf.signals.seal_keys
        if not keys:
            raise NoKey(
                "no address for signals can be sealed: the operator has to"
                " set [signals] seal_keys"
            )
        lifetime_s: int = self._conf.signals.url_lifetime
        what = seals.Sealed(
            kind,
            context.stack_project,
            context.stack_name,
            context.stack_id,
            context.name,
            context.token,
            int(context.started_at) + lifetime_s if lifetime_s else 0,
        )
        arn = (
            f"arn:openstack:heat::{what.project_id}:stacks/{what.stack_name}"
            f"/{what.stack_id}/resources/{what.resource_name}"
        )
        query = {
            "Resource": what.resource_id,
            "Expires": what.expires_at,
            "Signature": seals.seal_address(keys[0], what),
        }
        return (
            f"{self._base()}/v1/{kind}/{urllib.parse.quote(arn)}"
            f"?{urllib.parse.urlencode(query)}"
        )

    def _base(self) -> str:
        base = self._conf.signals.url_base or self._conf.api.public_url
        if base:
            return str(base).rstrip("/")
        host = self._conf.api.host
        named = f"[{host}]" if ":" in host else host
        return f"http://{named}:{self._conf.api.port}"
