"""``software config …`` and ``software deployment …``."""

import argparse
import collections.abc
import contextlib
import typing
import uuid

import yaml

from orchclient import deployment_config
from orchclient import errors
from orchclient import software
from orchclient.commands import base
from orchclient.commands import stack_arguments
from orchclient.console import exit_codes
from orchclient.console import formatting


class _OfConfig(base.Base):
    """A command about one config."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the config."""
        parser = super().get_parser(prog_name)
        parser.add_argument("config", metavar="CONFIG", help="its id")
        return parser


class ConfigList(base.Lister):
    """List software configs."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add how many."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--limit", type=int, metavar="NUMBER", help="so many at most"
        )
        parser.add_argument(
            "--after", metavar="ID", help="only those after this config"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them."""
        found = self.client.software_configs.list(
            limit=parsed_args.limit, after=parsed_args.after
        )
        rows = (
            (
                each.id,
                each.name,
                each.group,
                formatting.time_text(each.created_at),
            )
            for each in found
        )
        return ("ID", "Name", "Group", "Created"), rows


class ConfigShow(_OfConfig, base.Document):
    """Write a software config; with --config-only its content as it is."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add how much to write."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--config-only", action="store_true", help="nothing but that"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Write it."""
        found = self.client.software_configs.show(parsed_args.config)
        if parsed_args.config_only:
            self.say(formatting.value_text(found.config))
            return exit_codes.Exit.DONE
        return self.write(parsed_args, _config(found))


class ConfigCreate(base.Document):
    """Store a software config."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add name and content."""
        parser = super().get_parser(prog_name)
        parser.add_argument("name", metavar="NAME", help="of the config")
        parser.add_argument(
            "--group",
            default="Heat::Ungrouped",
            help="tool that applies it",
        )
        parser.add_argument(
            "--config-file", metavar="FILE", help="what it says"
        )
        parser.add_argument(
            "--definition-file",
            metavar="FILE",
            help="YAML or JSON with inputs, outputs and options",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Store it."""
        request = software.ConfigRequest(
            name=parsed_args.name, group=parsed_args.group
        )
        if parsed_args.config_file is not None:
            request["config"] = stack_arguments.read_file_text(
                parsed_args.config_file
            )
        if parsed_args.definition_file is not None:
            defined = _definition(parsed_args.definition_file)
            request = typing.cast(
                software.ConfigRequest, {**request, **defined}
            )
        created = self.client.software_configs.create(**request)
        return self.write(parsed_args, _config(created))


class ConfigDelete(base.Base):
    """Remove software configs."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the configs."""
        parser = super().get_parser(prog_name)
        parser.add_argument("config", metavar="CONFIG", nargs="+", help="ids")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Remove them, one after the other."""
        for each in parsed_args.config:
            self.client.software_configs.delete(each)
        return exit_codes.Exit.DONE


class _OfDeployment(base.Base):
    """A command about one deployment."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the deployment."""
        parser = super().get_parser(prog_name)
        parser.add_argument("deployment", metavar="DEPLOYMENT", help="its id")
        return parser


class DeploymentList(base.Lister):
    """List software deployments."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the server."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--server", metavar="ID", help="only those of this server"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them."""
        found = self.client.software_deployments.list(
            server_id=parsed_args.server
        )
        rows = (
            (
                each.id,
                each.config_id,
                each.server_id,
                each.action,
                each.state,
                each.reason,
            )
            for each in found
        )
        return ("ID", "Config", "Server", "Action", "State", "Reason"), rows


class DeploymentShow(_OfDeployment, base.Document):
    """Write a software deployment."""

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Write it."""
        found = self.client.software_deployments.show(parsed_args.deployment)
        return self.write(parsed_args, _deployment(found))


class DeploymentCreate(base.Document):
    """Deploy a software config to a server, with values for its inputs."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add config, server and inputs, and how the server reports."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "name",
            metavar="NAME",
            help="of the config that is made for it; the agent of a server"
            " applies configs in the order of their names",
        )
        parser.add_argument(
            "--server", metavar="ID", required=True, help="deploy to this one"
        )
        parser.add_argument(
            "--config", metavar="ID", help="deploy this one; by default none"
        )
        parser.add_argument(
            "--input-value",
            metavar="KEY=VALUE",
            action="append",
            default=[],
            help="value of an input, may be repeated",
        )
        parser.add_argument(
            "--action",
            default="UPDATE",
            help="CREATE, UPDATE, DELETE, SUSPEND, RESUME, or one of your own",
        )
        _add_signal(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Deploy it."""
        values = stack_arguments.parse_pairs(parsed_args.input_value)
        with contextlib.ExitStack() as undone:
            address = None
            if (
                parsed_args.signal_transport
                == deployment_config.TEMP_URL_SIGNAL
            ):
                address = undone.enter_context(self._address(parsed_args))
            created = self.client.software_deployments.deploy(
                parsed_args.name,
                parsed_args.server,
                parsed_args.config,
                values=values,
                action=parsed_args.action,
                address=address,
            )
        return self.write(parsed_args, _deployment(created))

    @contextlib.contextmanager
    def _address(
        self, parsed_args: argparse.Namespace
    ) -> collections.abc.Iterator[str]:
        """Yield where the server writes its result, until that is refused.

        Where it is not known whether it is deployed, the server may still
        write.
        """
        store = self.client.object_store()
        unique = str(uuid.uuid4())
        container = parsed_args.container or f"{parsed_args.name}-{unique}"
        if parsed_args.config is not None:
            # Whoever gives a wrong one leaves no container behind.
            self.client.software_configs.show(parsed_args.config)
        address = store.address_for_writing(
            container, unique, lasts_s=parsed_args.timeout_mins * 60
        )
        try:
            yield address
        except errors.ServerError:
            raise
        except errors.ApiError:
            is_new = parsed_args.container is None
            with contextlib.suppress(errors.Error):
                store.remove(container, unique, with_container=is_new)
            raise


def _add_signal(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--signal-transport",
        choices=deployment_config.TRANSPORTS,
        default=deployment_config.TEMP_URL_SIGNAL,
        help="how the server reports its result: by an object in the object"
        " store of the cloud, which is the default, or not at all",
    )
    parser.add_argument(
        "--container",
        metavar="NAME",
        help="of that object, by default a new one",
    )
    parser.add_argument(
        "--timeout-mins",
        type=_minutes,
        default=60,
        metavar="MINUTES",
        help="that the server may write it for, 60 by default",
    )


def _minutes(text: str) -> int:
    found = int(text)
    if found < 0:
        raise argparse.ArgumentTypeError(f"{text} is less than 0")
    return found


class DeploymentOutputShow(_OfDeployment):
    """Write an output value of a deployment, or all of them."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the output."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "output", metavar="OUTPUT", nargs="?", help="by default all"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Write it."""
        found = self.client.software_deployments.show(parsed_args.deployment)
        name, values_by_name = parsed_args.output, found.output_values
        if name is not None and name not in values_by_name:
            known = ", ".join(values_by_name) or "none"
            raise exit_codes.UsageError(
                f"There is no output {name}; those there are: {known}."
            )
        self.say(
            formatting.value_text(
                dict(values_by_name) if name is None else values_by_name[name]
            )
        )
        return exit_codes.Exit.DONE


class DeploymentMetadataShow(base.Document):
    """Write what a server has to apply, as its agent reads it."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the server."""
        parser = super().get_parser(prog_name)
        parser.add_argument("server", metavar="SERVER", help="its id")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Write it."""
        found = self.client.software_deployments.metadata(parsed_args.server)
        return self.write(parsed_args, [dict(each) for each in found])


class DeploymentDelete(base.Base):
    """Remove software deployments, and the configs made for them."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the deployments."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "deployment", metavar="DEPLOYMENT", nargs="+", help="ids"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Remove them, one after the other."""
        for each in parsed_args.deployment:
            self.client.software_deployments.undeploy(each)
        return exit_codes.Exit.DONE


def _config(found: software.Config) -> dict[str, object]:
    return {
        "id": found.id,
        "name": found.name,
        "group": found.group,
        "created_at": formatting.time_text(found.created_at),
        "inputs": [dict(each) for each in found.inputs],
        "outputs": [dict(each) for each in found.outputs],
        "options": dict(found.options),
        "config": found.config,
    }


def _deployment(found: software.Deployment) -> dict[str, object]:
    return {
        "id": found.id,
        "config_id": found.config_id,
        "server_id": found.server_id,
        "action": found.action,
        "state": found.state,
        "reason": found.reason,
        "created_at": formatting.time_text(found.created_at),
        "updated_at": formatting.time_text(found.updated_at),
        "input_values": dict(found.input_values),
        "output_values": dict(found.output_values),
    }


def _definition(file: str) -> dict[str, object]:
    """Return the inputs, outputs and options that a file declares."""
    try:
        found = yaml.safe_load(stack_arguments.read_file_text(file))
    except yaml.YAMLError as error:
        raise exit_codes.UsageError(f"{file} is no YAML: {error}") from error
    if not isinstance(found, dict):
        raise exit_codes.UsageError(f"{file} must be a map.")
    keys = ("inputs", "outputs", "options")
    return {key: found[key] for key in keys if key in found}
