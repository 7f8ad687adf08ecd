"""Build the credential parts of a worker from the options."""

from oslo_config import cfg

from orch import clock
from orch.clients import egress
from orch.clients import identity
from orch.clients import sessions
from orch.clients import stack_users
from orch.db import engine as db_engine
from orch.engine import credentials
from orch.engine.credentials import cipher
from orch.engine.credentials import clouds
from orch.engine.credentials import revocation
from orch.engine.credentials import stored_credentials
from orch.model import credential
from orch.plugin import clouds as port
from orch.plugin import registry
from orch.plugin import resource
from orch.plugin import stack_users as users_port

_METHODS = {
    "trusts": credential.Method.TRUST,
    "application_credentials": credential.Method.APPLICATION,
}
_INTERFACES = {
    "publicURL": "public",
    "internalURL": "internal",
    "adminURL": "admin",
}


def build(
    conf: cfg.ConfigOpts,
    database: db_engine.Database,
    types: registry.ResourceTypes,
) -> credentials.Parts:
    """Build the credential parts, and connect the plug-ins to them.

    :raises orch.clients.identity.Misconfigured: the user of ``[trustee]`` is
        missing
    :raises orch.engine.credentials.cipher.BadKey: there is no key, or a bad
        one
    """
    settings = settings_of(conf)
    keystone = identity.Keystone(conf, settings)
    credential_store = stored_credentials.StoredCredentials(
        database,
        keystone,
        cipher.Cipher(conf.credentials.encryption_keys),
        stored_credentials.Settings(
            method=_METHODS[conf.deferred_auth_method],
            roles=frozenset(conf.trusts_delegated_roles),
            unrestricted=conf.credentials.unrestricted,
        ),
    )
    reached = clouds.Clouds(
        database,
        keystone,
        credential_store,
        settings,
        clock.SystemClock(),
        egress.from_conf(conf),
    )

    def use_clouds(plugin: resource.Resource) -> None:
        if isinstance(plugin, port.CloudResource):
            plugin.use_clouds(reached)

    types.prepare(use_clouds)
    _hand_out_users(conf, types, keystone, settings)
    revoking = revocation.Revocation(
        database,
        credential_store,
        conf.credentials.clean_up_interval,
        conf.credentials.orphan_grace_period,
    )
    return credentials.Parts(
        credential_store, reached, revoking.start, revoking.stop
    )


def _hand_out_users(
    conf: cfg.ConfigOpts,
    types: registry.ResourceTypes,
    keystone: identity.Keystone,
    settings: sessions.Settings,
) -> None:
    """Let plug-ins create users of stacks, if a domain is set for them."""
    domain_id, domain_name = (
        conf.stack_user_domain_id,
        conf.stack_user_domain_name,
    )
    if not domain_id and not domain_name:
        return
    held = sessions.open_session(keystone.stack_users_login(), settings)
    users = stack_users.StackUsers(
        sessions.connect(held, settings, None),
        stack_users.Settings(
            domain_id=domain_id,
            domain_name=domain_name,
            role=conf.heat_stack_user_role,
            region_name=settings.region_name,
        ),
    )

    def use_users(plugin: resource.Resource) -> None:
        if isinstance(plugin, users_port.StackUserResource):
            plugin.use_stack_users(users)

    types.prepare(use_users)


def settings_of(conf: cfg.ConfigOpts) -> sessions.Settings:
    """Return the settings of cloud sessions that the options make."""
    group = conf.clients
    cert = None
    if group.cert_file and group.key_file:
        cert = (group.cert_file, group.key_file)
    return sessions.Settings(
        region_name=group.region_name,
        interface=_INTERFACES[group.endpoint_type],
        verify=not group.insecure and (group.ca_file or True),
        cert=cert,
        timeout_s=group.timeout,
        connect_retries=group.connect_retries,
    )
