"""A real Keystone in one process: ``python -m tests.support.keystone_server``.

It makes its tables in SQLite, a first administrator and the usual roles, and
serves. Its own commands do that in three processes, which takes three times
as long.
"""

import base64
import logging
import os
import pathlib
import secrets
import sys
import threading

import keystone.server
import waitress
from keystone.cmd import bootstrap
from keystone.common import provider_api
from keystone.common.sql import upgrades
from keystone.server.flask import application
from keystone.server.flask import core

ADMIN = "admin"
PASSWORD = "canary-password-6a0e"
# SQLite refuses a transaction that wants to write and has read before another
# one wrote; Keystone answers that with 500. Two threads are hardly faster.
_THREADS = 1


def _configure(directory: pathlib.Path, port: int) -> pathlib.Path:
    for name in ("fernet", "credential"):
        repository = directory / name
        if repository.exists():
            continue
        repository.mkdir(mode=0o700)
        for number in ("0", "1"):
            key = base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()
            (repository / number).write_text(key)
            (repository / number).chmod(0o600)
    path = directory / "keystone.conf"
    path.write_text(
        "\n".join(
            (
                "[DEFAULT]",
                f"public_endpoint = http://127.0.0.1:{port}/",
                "default_log_levels = keystone=WARN,alembic=WARN",
                "[database]",
                f"connection = sqlite:///{directory}/keystone.db",
                "sqlite_synchronous = false",
                "[fernet_tokens]",
                f"key_repository = {directory}/fernet",
                "[fernet_receipts]",
                f"key_repository = {directory}/fernet",
                "[credential]",
                f"key_repository = {directory}/credential",
                "[identity]",
                "password_hash_rounds = 4",
                "[cache]",
                "enabled = true",
                "backend = dogpile.cache.memory",
            )
        )
    )
    return path


def _bootstrap(port: int) -> None:
    upgrades.offline_sync_database_to_version()
    first = bootstrap.Bootstrapper()
    first.admin_username = ADMIN
    first.admin_password = PASSWORD
    first.admin_role_name = ADMIN
    first.project_name = ADMIN
    first.region_id = "RegionOne"
    first.service_name = "keystone"
    first.public_url = f"http://127.0.0.1:{port}/v3"
    first.internal_url = first.public_url
    first.bootstrap()


def _end_with_the_tests() -> None:
    """End this process once nobody holds the other end of its input."""
    sys.stdin.buffer.read()
    os._exit(0)


def main() -> None:
    """Serve until whoever has started it ends, in whatever way."""
    threading.Thread(target=_end_with_the_tests, daemon=True).start()
    directory, port = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    # It reads the command line too.
    sys.argv = sys.argv[:1]
    config = str(_configure(directory, port))
    keystone.server.configure(config_files=[config])
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    _bootstrap(port)
    provider_api.ProviderAPIs._clear_registry_instances()
    _, app = keystone.server.setup_backends(
        startup_application_fn=lambda: application.application_factory(
            "public"
        )
    )
    served = core.setup_app_middleware(app)
    waitress.serve(served, host="127.0.0.1", port=port, threads=_THREADS)


if __name__ == "__main__":
    main()
