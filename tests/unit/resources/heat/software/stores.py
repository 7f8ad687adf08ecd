"""A store of configs and deployments in memory, for tests of plug-ins."""

import dataclasses

from orch import clock
from orch import errors
from orch.plugin import software

_NOW = clock.Timestamp(1_700_000_000.0)


class Store:
    """What the worker's store does, without a database.

    :ivar configs: by id
    :ivar deployments: by id
    :ivar published: ids of the servers that were to be told, in order
    :ivar refusal: what telling a server raises, if it cannot be told
    """

    def __init__(self) -> None:
        self.configs: dict[str, software.Config] = {}
        self.deployments: dict[str, software.Deployment] = {}
        self.published: list[str] = []
        self.refusal: errors.OrchError | None = None

    def create_config(
        self,
        project_id: str,
        config_id: str,
        definition: software.Definition,
    ) -> None:
        made = software.Config(
            **{
                field.name: getattr(definition, field.name)
                for field in dataclasses.fields(software.Definition)
            },
            id=config_id,
            project_id=project_id,
            created_at=_NOW,
        )
        self.configs.setdefault(config_id, made)

    def find_config(
        self, project_id: str | None, config_id: str
    ) -> software.Config | None:
        found = self.configs.get(config_id)
        if found is None or project_id in (None, found.project_id):
            return found
        return None

    def delete_config(self, project_id: str, config_id: str) -> None:
        if self.find_config(project_id, config_id) is None:
            return
        if self._is_deployed(config_id):
            raise errors.Invalid("deployed")
        self.configs.pop(config_id, None)

    def hand_over(self, wanted: software.Handover) -> None:
        found = self.deployments.get(wanted.deployment_id)
        if found is not None and found.project_id != wanted.project_id:
            raise errors.Permanent("another project has the deployment")
        if found is not None and found.config_id == wanted.config_id:
            return
        self.create_config(
            wanted.project_id, wanted.config_id, wanted.definition
        )
        if self.find_config(wanted.project_id, wanted.config_id) is None:
            raise errors.Permanent("another project has the config")
        self.deployments[wanted.deployment_id] = software.Deployment(
            id=wanted.deployment_id,
            project_id=wanted.project_id,
            server_id=wanted.server_id,
            config_id=wanted.config_id,
            input_values=wanted.input_values,
            output_values=(
                wanted.output_values
                if wanted.output_values is not None or found is None
                else found.output_values
            ),
            action=wanted.action,
            status=wanted.status,
            status_reason=wanted.status_reason,
            signal_count=wanted.signal_count,
            created_at=_NOW,
        )
        if found is not None:
            self._forget(wanted.project_id, found.config_id)

    def find_deployment(
        self, project_id: str | None, deployment_id: str
    ) -> software.Deployment | None:
        found = self.deployments.get(deployment_id)
        if found is None or project_id in (None, found.project_id):
            return found
        return None

    def finish(
        self,
        handover: software.Deployment,
        status: software.Status,
        status_reason: str,
        output_values: software.Values,
    ) -> None:
        found = self.deployments.get(handover.id)
        if (
            found is not None
            and found.project_id == handover.project_id
            and found.config_id == handover.config_id
            and found.status == software.Status.IN_PROGRESS
        ):
            self.deployments[found.id] = dataclasses.replace(
                found,
                status=status,
                status_reason=status_reason,
                output_values=output_values,
            )

    def delete_deployment(self, project_id: str, deployment_id: str) -> None:
        found = self.find_deployment(project_id, deployment_id)
        if found is not None:
            del self.deployments[deployment_id]
            self._forget(project_id, found.config_id)

    def list_configs(
        self, project_id: str, server_id: str
    ) -> list[software.Config]:
        found = [
            config
            for each in self.deployments.values()
            if each.server_id == server_id and each.project_id == project_id
            for config in [self.find_config(project_id, each.config_id)]
            if config is not None
        ]
        return sorted(found, key=lambda each: (each.name or "", each.id))

    def publish(self, project_id: str, server_id: str) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.published.append(server_id)

    def _forget(self, project_id: str, config_id: str) -> None:
        is_own = self.find_config(project_id, config_id) is not None
        if is_own and not self._is_deployed(config_id):
            self.configs.pop(config_id, None)

    def _is_deployed(self, config_id: str) -> bool:
        used = (each.config_id for each in self.deployments.values())
        return config_id in used
