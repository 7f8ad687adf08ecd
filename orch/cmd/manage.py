"""``orch-manage``: commands for operators."""

import argparse
import collections.abc
import pathlib
import sys
import typing

from oslo_config import cfg

from orch import clock
from orch import errors
from orch.cmd import columns
from orch.cmd import doctor
from orch.cmd import indexes
from orch.cmd import lifecycle
from orch.cmd import notifications
from orch.cmd import process
from orch.cmd import rotation
from orch.cmd import tables
from orch.conf import load
from orch.db import engine as db_engine
from orch.db import migrate
from orch.db import revision
from orch.db.repositories import abandonments
from orch.db.repositories import drift_history
from orch.db.repositories import forwarding
from orch.db.repositories import idempotent_answers
from orch.db.repositories import purge
from orch.db.repositories import services
from orch.engine import credentials
from orch.engine.adoption import sealing
from orch.rpc import broker
from orch.rpc import contract
from orch.rpc import transport

_DAY_S = 86400
_BATCH = 100

_Command = collections.abc.Callable[
    [cfg.ConfigOpts, argparse.Namespace], int | None
]
"""Returns its exit code; ``None`` for success."""
_Argument = tuple[str, collections.abc.Mapping[str, typing.Any]]
_Verb = tuple[str, _Command, str, *tuple[_Argument, ...]]
"""Name, what it does, help text, and arguments of its own."""


def main() -> typing.NoReturn:
    """Do what the command line asks for."""
    process.run_command(_run)


def _run() -> int:
    arguments = _parse(sys.argv[1:])
    try:
        conf = load.load([], arguments.config_file, prog="orch-manage")
    except cfg.Error as error:
        raise process.Failure(str(error)) from error
    command: _Command = arguments.command
    return command(conf, arguments) or 0


def _parse(args: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="orch-manage", description="Look after an installation of Orch."
    )
    parser.add_argument(
        "--config-file",
        action="append",
        help="read options from this file (default: /etc/orch/orch.conf);"
        " may be given several times",
    )
    nouns = parser.add_subparsers(metavar="COMMAND", required=True)
    for (noun, text), verbs in _NOUNS.items():
        group = nouns.add_parser(noun, help=text, description=text)
        _add(group.add_subparsers(metavar="COMMAND", required=True), verbs)
    _add(nouns, _VERBS)
    return parser.parse_args(args)


def _add(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    verbs: collections.abc.Iterable[_Verb],
) -> None:
    for name, command, text, *arguments in verbs:
        parser = commands.add_parser(name, help=text, description=text)
        parser.set_defaults(command=command)
        for flag, settings in arguments:
            parser.add_argument(flag, **settings)


def _db_sync(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> None:
    migrate.upgrade(db_engine.Database.from_conf(conf))


def _db_version(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> None:
    print(revision.current(db_engine.Database.from_conf(conf)) or "none")


def _service_list(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> None:
    rows = [("ID", "HOST", "BINARY", "STATE", "LAST REPORT")]
    for each, is_up in tables.open_ready(conf).query(services.list_):
        state = "up" if is_up else "down"
        when = clock.isoformat(each.updated_at)
        rows.append((each.id, each.host, each.binary, state, when))
    columns.show_rows(rows)


def _service_clean(
    conf: cfg.ConfigOpts, arguments: argparse.Namespace
) -> None:
    gone = tables.open_ready(conf).run(
        lambda conn: services.forget_dead(conn, 0)
    )
    print(f"{gone} forgotten")


def _queue_list(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> None:
    rows = [("QUEUE", "MESSAGES", "CONSUMERS")]
    for each in _broker(conf).find_queues(_queues(conf)):
        rows.append((each.name, str(each.messages), str(each.consumers)))
    columns.show_rows(rows)


def _queue_purge(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> None:
    print(f"{_broker(conf).purge(arguments.name)} messages thrown away")


def _broker(conf: cfg.ConfigOpts) -> broker.Broker:
    return transport.build_transport(conf).broker


def _queues(conf: cfg.ConfigOpts) -> list[str]:
    """Return the names of the queues that Orch makes."""
    return [contract.TOPIC, *notifications.queues_of(conf)]


def _purge(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> None:
    database = tables.open_ready(conf)
    older_than_s = arguments.older_than * _DAY_S
    stacks = tables.repeat(
        database, lambda conn: purge.purge_deleted(conn, older_than_s, _BATCH)
    )
    tables.repeat(
        database, lambda conn: drift_history.purge(conn, older_than_s, _BATCH)
    )
    texts = tables.repeat(
        database, lambda conn: purge.purge_contents(conn, _BATCH)
    )
    with database.write() as conn:
        documents = abandonments.forget_old(conn, conf.abandoned_document_days)
    tables.repeat(
        database,
        lambda conn: forwarding.forget_old(conn, conf.abandoned_document_days),
    )
    tables.repeat(
        database,
        lambda conn: idempotent_answers.forget_old(
            conn, conf.engine.idempotency_key_ttl, _BATCH
        ),
    )
    notifications.forget_refused(conf, older_than_s)
    print(
        f"{stacks} stacks, {documents} documents of abandoned ones and"
        f" {texts} texts removed"
    )


def _key_new(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> None:
    print(sealing.new_key())


def _key_show(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> None:
    keys: list[str] = conf.adoption.private_keys
    try:
        if arguments.key_file is not None:
            keys = [arguments.key_file.read_text().strip()]
        if not keys:
            raise process.Failure(
                "there is no key in [adoption] private_keys: set one that"
                " orch-manage adoption-key new has made"
            )
        print(sealing.public_key(keys[0]))
    except (OSError, errors.OrchError) as error:
        raise process.Failure(str(error)) from error


def _credential_key_new(
    conf: cfg.ConfigOpts, arguments: argparse.Namespace
) -> None:
    print(credentials.new_key())


def _credential_key_rotate(
    conf: cfg.ConfigOpts, arguments: argparse.Namespace
) -> None:
    total = rotation.renew_credentials(conf)
    print(f"{total} credentials sealed with the first key")


def _secrets_rotate(
    conf: cfg.ConfigOpts, arguments: argparse.Namespace
) -> None:
    if conf.credentials.encryption_keys:
        _credential_key_rotate(conf, arguments)
    total = rotation.renew_values(conf)
    how = "decrypted"
    if conf.encrypt_parameters_and_properties:
        how = "sealed with the first key"
    print(f"values in {total} rows {how}")


def _doctor(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> int:
    findings = doctor.run_checks(conf, clock.SystemClock())
    for each in findings:
        mark = "ok  " if each.is_good else "FAIL"
        print(f"{mark}  {each.topic}: {each.text}")
    return 0 if all(each.is_good for each in findings) else 1


_NOUNS: typing.Final[
    collections.abc.Mapping[tuple[str, str], collections.abc.Iterable[_Verb]]
] = {
    ("db", "the database's tables"): (
        ("sync", _db_sync, "bring the tables up to date"),
        ("version", _db_version, "show the revision of the tables"),
    ),
    ("service", "the processes that report"): (
        ("list", _service_list, "show all processes"),
        ("clean", _service_clean, "forget those that are down"),
    ),
    ("lifecycle", "the lifecycle plug-ins"): (
        ("list", lifecycle.list_plugins, "show them in their order"),
        ("show", lifecycle.show_settings, "show which are in force"),
        (
            "activate",
            lifecycle.activate,
            "put those into force that the live workers find",
            (
                "--force",
                {
                    "action": "store_true",
                    "help": "also if some of the live workers cannot load"
                    " them; those take no operations then",
                },
            ),
        ),
    ),
    ("queue", "the queues on the broker"): (
        ("list", _queue_list, "show the queues of Orch"),
        (
            "purge",
            _queue_purge,
            "throw away what waits in one",
            ("name", {"help": "name of the queue"}),
        ),
    ),
    ("notification", "those that wait for the broker"): (
        (
            "list",
            notifications.show_refused,
            "show those that it refuses, the oldest first",
        ),
        ("resend", notifications.resend_refused, "send those again"),
        (
            "forget",
            notifications.forget,
            "throw those away, or others",
            (
                "--topic",
                {
                    "help": "those that wait for this topic alone, in place of"
                    " those that the broker refuses"
                },
            ),
        ),
        (
            "policy",
            notifications.print_policy,
            "print a command that bounds the queues of notifications",
            (
                "--max-messages",
                {
                    "type": int,
                    "default": notifications.MAX_MESSAGES,
                    "metavar": "COUNT",
                    "help": "messages that each queue keeps (default:"
                    " %(default)s); the oldest are dropped",
                },
            ),
        ),
    ),
    ("adoption-key", "what opens sealed documents"): (
        ("new", _key_new, "print a new private key"),
        (
            "show",
            _key_show,
            "print the public key",
            (
                "--key-file",
                {
                    "type": pathlib.Path,
                    "metavar": "FILE",
                    "help": "of the private key in this file, such as"
                    " adoption.key in the state directory of orch-all"
                    " (default: of the first one in [adoption] private_keys)",
                },
            ),
        ),
    ),
    ("credential-key", "what seals stacks' credentials"): (
        ("new", _credential_key_new, "print a new key"),
        ("rotate", _credential_key_rotate, "seal all with the first"),
    ),
    ("secrets", "what is encrypted in the database"): (
        (
            "rotate",
            _secrets_rotate,
            "encrypt all with the first key, or decrypt it, as the options"
            " say; workers may go on, and after an interruption it is run"
            " again",
        ),
    ),
    ("search", "the index of orch-search"): (
        (
            "status",
            indexes.show_index,
            "show what is in it, and how a fill goes",
            indexes.STATE_DIR,
        ),
        (
            "refill",
            indexes.refill_index,
            "read all stacks again",
            indexes.STATE_DIR,
        ),
        (
            "rebuild",
            indexes.rebuild_index,
            "forget it, and read all stacks again",
            indexes.STATE_DIR,
        ),
    ),
}
_VERBS: typing.Final[collections.abc.Iterable[_Verb]] = (
    (
        "purge",
        _purge,
        "remove stacks deleted long ago",
        (
            "--older-than",
            {
                "type": float,
                "default": 90,
                "metavar": "DAYS",
                "help": "days since the deletion (default: %(default)s)",
            },
        ),
    ),
    ("doctor", _doctor, "check the installation"),
)
