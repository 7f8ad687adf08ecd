"""Chooses how it is found out who has signed a request."""

import importlib

from orch import clock
from orch.api import settings
from orch.api.middleware import signed
from orch.policies import enforcer


def find_signer(
    limits: settings.Settings,
    rules: enforcer.Enforcer,
    time: clock.Clock,
    service_type: str = "orchestration",
) -> signed.Identify | None:
    """Return how; ``None`` where signatures cannot be checked.

    :param service_type: of the API, as the catalogue of Keystone has it
    :raises orch.errors.OrchError: the options do not say who is to check
    """
    if limits.auth == "keystone":
        # It is large.
        ec2 = importlib.import_module("orch.api.middleware.ec2")
        options = limits.policy or settings.no_options()
        found: signed.Identify = ec2.of_options(
            options, rules.is_admin, time, service_type
        )
        return found
    return signed.Unproven(time) if limits.auth == "none" else None
