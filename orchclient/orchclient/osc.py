"""The plug-in of ``openstack``: ``openstack orch …``.

The names are those that openstackclient looks for in a plug-in.
"""

import argparse
import os
import typing

from orchclient import client as clients
from orchclient import connection

API_NAME = "orch"
API_VERSION_OPTION = "os_orch_api_version"
DEFAULT_API_VERSION = "1"
API_VERSIONS = ("1",)


class _Instance(typing.Protocol):
    """The login of openstackclient."""

    sdk_connection: typing.Any


def make_client(instance: _Instance) -> clients.Client:
    """Return a client that logs in as ``openstack`` has."""
    return connection.from_connection(instance.sdk_connection)


def build_option_parser(
    parser: argparse.ArgumentParser,
) -> argparse.ArgumentParser:
    """Add the version of the API, of which there is one."""
    parser.add_argument(
        "--os-orch-api-version",
        metavar="VERSION",
        choices=API_VERSIONS,
        default=os.environ.get("OS_ORCH_API_VERSION", DEFAULT_API_VERSION),
        help="Orch API version, default 1 (Env: OS_ORCH_API_VERSION)",
    )
    return parser
