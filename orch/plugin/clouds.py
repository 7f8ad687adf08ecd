"""How a plug-in connects to the cloud of its physical resources.

The request for a stack is long over when a worker acts on it. The worker
holds a credential of the stack, and passes plug-ins the object that logs in
with it before it makes the first call. The plug-ins know neither the
credential nor where it is stored.
"""

import abc
import collections.abc
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import resource

if typing.TYPE_CHECKING:
    # It takes 15 MB, and a worker without a cloud never needs it.
    from openstack import connection


_NO_KEYSTONE: typing.Final = (
    "this installation works without Keystone: set auth in [api] to keystone."
)


class NoCloud(errors.Permanent):
    """No login to a cloud exists."""

    code = "orch.cloud.none"
    is_verdict = False


class BadLogin(errors.Permanent):
    """The given login is not understood."""

    code = "orch.cloud.bad_login"
    is_verdict = False


class Clouds(typing.Protocol):
    """Logs in to clouds; its calls query no service but the database."""

    def connect(
        self,
        context: call_context.Context,
        *,
        region_name: str | None,
        ca_cert: str | None = None,
        insecure: bool = False,
    ) -> "connection.Connection":
        """Return a connection that acts for the stack.

        The last two are as for :meth:`CloudResource.cloud`.

        :raises NoCloud: there is no credential of the stack
        """

    def log_in(
        self,
        login: collections.abc.Mapping[str, object],
        *,
        region_name: str | None,
        ca_cert: str | None,
        insecure: bool,
    ) -> "connection.Connection":
        """Return a connection that uses the given login.

        :raises BadLogin: it is not understood
        """


class CloudResource(resource.Resource, abc.ABC):
    """Base of the types whose physical resources are in a cloud."""

    always_reaches: typing.ClassVar[bool] = True
    """Each resource of the type needs a cloud, whatever its properties."""
    _clouds: Clouds | None = None

    @property
    def service_type(self) -> str:
        """The service that each resource needs, as catalogues name its type.

        Empty where they need none, or where it depends on their properties.
        """
        return ""

    def use_clouds(self, clouds: Clouds) -> None:
        """Store the object that logs in; called once, by the worker."""
        self._clouds = clouds

    @property
    def has_cloud(self) -> bool:
        """Whether this installation works with a cloud."""
        return self._clouds is not None

    @property
    def lacks(self) -> str | None:
        """Return that no cloud is configured, where each resource needs it."""
        if self._clouds is not None or not self.always_reaches:
            return None
        return f"They need a cloud, and {_NO_KEYSTONE}"

    def cloud(
        self,
        context: call_context.Context,
        *,
        region_name: str | None = None,
        ca_cert: str | None = None,
        insecure: bool = False,
    ) -> "connection.Connection":
        """Return a connection that acts for the stack of a resource.

        It logs in at its first request, with the credential of the stack;
        where there is no stack yet, with the caller's own token. It is cached
        for a while: get it anew in each call, and never close it.

        :param region_name: ``None`` for the one of ``[clients]``
        :param ca_cert: certificates to trust, as PEM; ``None`` for those of
            ``[clients]``
        :param insecure: trust every certificate
        :raises NoCloud: the installation has none, or no credential of the
            stack
        """
        return self._known.connect(
            context,
            region_name=region_name,
            ca_cert=ca_cert,
            insecure=insecure,
        )

    def log_in(
        self,
        login: collections.abc.Mapping[str, object],
        *,
        region_name: str | None = None,
        ca_cert: str | None = None,
        insecure: bool = False,
    ) -> "connection.Connection":
        """Return a connection that acts for another user.

        It logs in at its first request.

        :param login: ``auth_type``, a plug-in of keystoneauth such as
            ``v3applicationcredential``, and ``auth``, the map of its options
        :param region_name: ``None`` for the one of ``[clients]``
        :param ca_cert: certificates to trust, as PEM; ``None`` for those of
            ``[clients]``
        :param insecure: trust every certificate
        :raises BadLogin: keystoneauth does not understand the login
        """
        return self._known.log_in(
            login,
            region_name=region_name,
            ca_cert=ca_cert,
            insecure=insecure,
        )

    def late_effect_s(self, context: call_context.Context) -> float:
        """Return how long the clients of the cloud wait for an answer."""
        timeout_s: float = self.conf.clients.timeout
        return timeout_s + resource.LATE_MARGIN_S

    @property
    def _known(self) -> Clouds:
        if self._clouds is None:
            raise NoCloud(
                f"{self.type_name} needs a cloud, and {_NO_KEYSTONE}"
            )
        return self._clouds
