"""Asks Keystone who has signed a request.

Its EC2 credentials belong to a user, and each of them to one project. Nothing
of this is loaded unless Keystone says who asks.
"""

from oslo_config import cfg

from orch import clock
from orch.api import web
from orch.api.middleware import context
from orch.api.middleware import signatures
from orch.api.middleware import tokens
from orch.clients import ec2_tokens
from orch.context import request

_HEADER = "HTTP_X_AUTH_TOKEN"


class Signers:
    """Knows the users of a Keystone, by signature or by token."""

    def __init__(
        self, conf: cfg.ConfigOpts, by_token: tokens.Tokens, time: clock.Clock
    ) -> None:
        """Read group ``[keystone_authtoken]``; nothing is asked yet.

        :raises orch.clients.ec2_tokens.Misconfigured: no user is to ask
        """
        self._tokens = by_token
        self._keystone = ec2_tokens.Ec2Tokens(conf)
        self._clock = time

    def __call__(
        self, req: web.Request, signable: signatures.SignableRequest
    ) -> request.RequestContext:
        """Return who asks: see :class:`orch.api.middleware.signed.Identify`.

        :raises orch.errors.Unavailable: Keystone gives no answer
        """
        if not signatures.is_signed(signable) and _HEADER in req.env:
            return self._tokens.holder(req)
        found = signatures.parse_signature(signable, self._clock.now())
        try:
            token = self._keystone.token_of(found.document)
        except ec2_tokens.UnknownKey as error:
            raise signatures.SignatureRefused(
                signatures.UNKNOWN_KEY, error.message
            ) from error
        except ec2_tokens.Mismatch as error:
            raise signatures.SignatureRefused(
                signatures.MISMATCH, error.message
            ) from error
        req.env[_HEADER] = token.text
        return self._tokens(req, token.project_id)


def of_options(
    conf: cfg.ConfigOpts,
    is_admin: context.IsAdmin,
    time: clock.Clock,
    service_type: str,
) -> Signers:
    """Return what asks the Keystone of group ``[keystone_authtoken]``.

    :param service_type: what access rules of tokens must name
    :raises orch.clients.ec2_tokens.Misconfigured: no user is to ask
    """
    return Signers(
        conf, tokens.Tokens(conf, is_admin, time, service_type), time
    )
