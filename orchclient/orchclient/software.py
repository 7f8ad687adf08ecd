"""Software configs and deployments."""

import collections.abc
import contextlib
import dataclasses
import typing

from orchclient import deployment_config
from orchclient import errors
from orchclient import models
from orchclient import request_bodies
from orchclient import response_parser
from orchclient import transport
from orchclient.values import software as values

Json = response_parser.Json
Maps = collections.abc.Sequence[Json]
Deployment = values.Deployment


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """A software config; lists do not have its content."""

    id: str
    name: str
    group: str
    created_at: models.Moment
    config: object = None
    inputs: tuple[Json, ...] = ()
    outputs: tuple[Json, ...] = ()
    options: Json = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, body: Json) -> "Config":
        """Return the config that a body describes."""
        return cls(
            id=response_parser.required_text(body, "id"),
            name=response_parser.get_text(body, "name"),
            group=response_parser.get_text(body, "group"),
            created_at=response_parser.required_time(body, "creation_time"),
            config=body.get("config"),
            inputs=response_parser.get_maps(body, "inputs"),
            outputs=response_parser.get_maps(body, "outputs"),
            options=response_parser.find_map(body, "options"),
        )


class ConfigRequest(typing.TypedDict, total=False):
    """The content of a config; ``inputs`` and ``outputs`` are declarations."""

    name: str
    group: str
    config: object
    inputs: Maps
    outputs: Maps
    options: Json


class DeploymentRequest(typing.TypedDict, total=False):
    """The values of a new deployment."""

    input_values: Json
    action: str
    status: str
    status_reason: str


class DeploymentChange(DeploymentRequest, total=False):
    """The values of a deployment that may change."""

    config_id: str
    output_values: Json


class Configs:
    """The software configs of a project; they never change."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def list(
        self, *, limit: int | None = None, after: str | None = None
    ) -> tuple[Config, ...]:
        """Return configs, those after an id."""
        query = {"limit": limit, "marker": after}
        answer = self._sender.get("/software_configs", query)
        found = response_parser.get_maps(answer, "software_configs")
        return tuple(map(Config.of, found))

    def show(self, config_id: str) -> Config:
        """Return a config."""
        answer = self._sender.get(_path("configs", config_id))
        return Config.of(response_parser.get_map(answer, "software_config"))

    def create(self, **request: typing.Unpack[ConfigRequest]) -> Config:
        """Store a config."""
        body = request_bodies.without_absent(**request)
        answer = self._sender.ask_once("POST", "/software_configs", body)
        return Config.of(response_parser.get_map(answer, "software_config"))

    def delete(self, config_id: str) -> None:
        """Remove a config.

        :raises orchclient.errors.BadRequestError: it is deployed
        """
        self._sender.ask("DELETE", _path("configs", config_id))


class Deployments:
    """The software deployments of a project."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def list(self, *, server_id: str | None = None) -> tuple[Deployment, ...]:
        """Return deployments, optionally those of one server."""
        query = {"server_id": server_id}
        answer = self._sender.get("/software_deployments", query)
        return response_parser.get_values(
            answer, "software_deployments", Deployment.of
        )

    def show(self, deployment_id: str) -> Deployment:
        """Return a deployment."""
        answer = self._sender.get(_path("deployments", deployment_id))
        return Deployment.of(
            response_parser.get_map(answer, "software_deployment")
        )

    def create(
        self,
        config_id: str,
        server_id: str,
        **request: typing.Unpack[DeploymentRequest],
    ) -> Deployment:
        """Deploy a config to a server."""
        body = request_bodies.without_absent(
            config_id=config_id, server_id=server_id, **request
        )
        answer = self._sender.ask("POST", "/software_deployments", body)
        return Deployment.of(
            response_parser.get_map(answer, "software_deployment")
        )

    def deploy(
        self,
        name: str,
        server_id: str,
        config_id: str | None = None,
        *,
        values: Json | None = None,
        action: str = "UPDATE",
        address: str | None = None,
    ) -> Deployment:
        """Deploy a config to a server, with values for its inputs.

        A config of its own is stored for it, which holds them.

        :param name: of that one; agents apply configs in the order of names
        :param config_id: ``None`` for an empty one
        :param address: where the server writes its result, by ``PUT``; see
            :class:`orchclient.object_store.ObjectStore`. ``None`` for
            nowhere: then the deployment is complete at once
        :raises orchclient.errors.NotFoundError: there is no such config
        :raises orchclient.errors.Error: the service refuses it, or gives no
            answer; the config is removed again, unless that gets no answer
            either, or it was deployed all the same
        """
        target = deployment_config.Target(
            server_id=server_id, action=action, address=address
        )
        configs = Configs(self._sender)
        request = ConfigRequest(name=name)
        declared: Maps = ()
        if config_id is not None:
            source = configs.show(config_id)
            declared = source.inputs
            request["group"], request["config"] = source.group, source.config
            request["outputs"] = source.outputs
            request["options"] = source.options
        request["inputs"] = deployment_config.deployment_inputs(
            declared, values or {}, target
        )
        created = configs.create(**request)
        try:
            return self.create(
                created.id,
                server_id,
                action=action,
                status="IN_PROGRESS" if address else "COMPLETE",
            )
        except errors.Error:
            # What is deployed cannot be removed.
            with contextlib.suppress(errors.Error):
                configs.delete(created.id)
            raise

    def update(
        self,
        deployment_id: str,
        **change: typing.Unpack[DeploymentChange],
    ) -> Deployment:
        """Change a deployment."""
        path = _path("deployments", deployment_id)
        answer = self._sender.ask(
            "PUT", path, request_bodies.without_absent(**change)
        )
        return Deployment.of(
            response_parser.get_map(answer, "software_deployment")
        )

    def delete(self, deployment_id: str) -> None:
        """Remove a deployment."""
        self._sender.ask("DELETE", _path("deployments", deployment_id))

    def undeploy(self, deployment_id: str) -> None:
        """Remove a deployment, and the config that was stored for it alone.

        A config that is deployed as it is, or elsewhere too, remains.
        """
        configs = Configs(self._sender)
        config_id = self.show(deployment_id).config_id
        found = configs.show(config_id)
        self.delete(deployment_id)
        if deployment_config.is_derived(found.inputs):
            with contextlib.suppress(
                errors.BadRequestError, errors.NotFoundError
            ):
                configs.delete(config_id)

    def metadata(self, server_id: str) -> tuple[Json, ...]:
        """Return what a server has to apply, as its agent reads it."""
        path = _path("deployments/metadata", server_id)
        return response_parser.get_maps(self._sender.get(path), "metadata")


def _path(what: str, object_id: str) -> str:
    return f"/software_{what}/{transport.quote_part(object_id)}"
