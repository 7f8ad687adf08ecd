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

Command = collections.abc.Callable[[cfg.ConfigOpts, argparse.Namespace], int]


def main() -> typing.NoReturn:
    """Do what the command line asks for."""
    process.run_command(_run)


def _run() -> int:
    arguments = _parse(sys.argv[1:])
    try:
        conf = load.load([], arguments.config_file, prog="orch-manage")
    except cfg.Error as error:
        raise process.Failure(str(error)) from error
    command: Command = arguments.command
    return command(conf, arguments)


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
    verbs = _group(nouns, "db", "the database's tables")
    _add(verbs, "sync", _db_sync, "bring the tables up to date")
    _add(verbs, "version", _db_version, "show the revision of the tables")
    verbs = _group(nouns, "service", "the processes that report")
    _add(verbs, "list", _service_list, "show all processes")
    _add(verbs, "clean", _service_clean, "forget those that are down")
    verbs = _group(nouns, "lifecycle", "the lifecycle plug-ins")
    _add(verbs, "list", lifecycle.list_plugins, "show them in their order")
    _add(verbs, "show", lifecycle.show_settings, "show which are in force")
    one = _add(
        verbs,
        "activate",
        lifecycle.activate,
        "put those into force that the live workers find",
    )
    one.add_argument(
        "--force",
        action="store_true",
        help="also if some of the live workers cannot load them; those take"
        " no operations then",
    )
    verbs = _group(nouns, "queue", "the queues on the broker")
    _add(verbs, "list", _queue_list, "show the queues of Orch")
    one = _add(verbs, "purge", _queue_purge, "throw away what waits in one")
    one.add_argument("name", help="name of the queue")
    verbs = _group(nouns, "notification", "those that wait for the broker")
    _add(
        verbs,
        "list",
        notifications.show_refused,
        "show those that it refuses, the oldest first",
    )
    _add(verbs, "resend", notifications.resend_refused, "send those again")
    one = _add(
        verbs, "forget", notifications.forget, "throw those away, or others"
    )
    one.add_argument(
        "--topic",
        help="those that wait for this topic alone, in place of those that"
        " the broker refuses",
    )
    one = _add(
        verbs,
        "policy",
        notifications.print_policy,
        "print a command that bounds the queues of notifications",
    )
    one.add_argument(
        "--max-messages",
        type=int,
        default=notifications.MAX_MESSAGES,
        metavar="COUNT",
        help="messages that each queue keeps (default: %(default)s); the"
        " oldest are dropped",
    )
    one = _add(nouns, "purge", _purge, "remove stacks deleted long ago")
    one.add_argument(
        "--older-than",
        type=float,
        default=90,
        metavar="DAYS",
        help="days since the deletion (default: %(default)s)",
    )
    verbs = _group(nouns, "adoption-key", "what opens sealed documents")
    _add(verbs, "new", _key_new, "print a new private key")
    one = _add(verbs, "show", _key_show, "print the public key")
    one.add_argument(
        "--key-file",
        type=pathlib.Path,
        metavar="FILE",
        help="of the private key in this file, such as adoption.key in the"
        " state directory of orch-all (default: of the first one in"
        " [adoption] private_keys)",
    )
    verbs = _group(nouns, "credential-key", "what seals stacks' credentials")
    _add(verbs, "new", _credential_key_new, "print a new key")
    _add(verbs, "rotate", _credential_key_rotate, "seal all with the first")
    verbs = _group(nouns, "secrets", "what is encrypted in the database")
    _add(
        verbs,
        "rotate",
        _secrets_rotate,
        "encrypt all with the first key, or decrypt it, as the options say;"
        " workers may go on, and after an interruption it is run again",
    )
    verbs = _group(nouns, "search", "the index of orch-search")
    for name, command, text in (
        (
            "status",
            indexes.show_index,
            "show what is in it, and how a fill goes",
        ),
        ("refill", indexes.refill_index, "read all stacks again"),
        (
            "rebuild",
            indexes.rebuild_index,
            "forget it, and read all stacks again",
        ),
    ):
        indexes.add_state_dir(_add(verbs, name, command, text))
    _add(nouns, "doctor", _doctor, "check the installation")
    return parser.parse_args(args)


def _group(
    nouns: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    text: str,
) -> "argparse._SubParsersAction[argparse.ArgumentParser]":
    parser = nouns.add_parser(name, help=text, description=text)
    return parser.add_subparsers(metavar="COMMAND", required=True)


def _add(
    verbs: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    command: Command,
    text: str,
) -> argparse.ArgumentParser:
    parser = verbs.add_parser(name, help=text, description=text)
    parser.set_defaults(command=command)
    return parser


def _database(conf: cfg.ConfigOpts) -> db_engine.Database:
    return db_engine.Database.from_conf(conf)


def _db_sync(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> int:
    migrate.upgrade(_database(conf))
    return 0


def _db_version(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> int:
    print(revision.current(_database(conf)) or "none")
    return 0


def _service_list(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> int:
    rows = [("ID", "HOST", "BINARY", "STATE", "LAST REPORT")]
    for each, is_up in tables.open_ready(conf).query(services.list_):
        state = "up" if is_up else "down"
        when = clock.isoformat(each.updated_at)
        rows.append((each.id, each.host, each.binary, state, when))
    columns.show_rows(rows)
    return 0


def _service_clean(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> int:
    gone = tables.open_ready(conf).run(
        lambda conn: services.forget_dead(conn, 0)
    )
    print(f"{gone} forgotten")
    return 0


def _queue_list(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> int:
    rows = [("QUEUE", "MESSAGES", "CONSUMERS")]
    for each in _broker(conf).find_queues(_queues(conf)):
        rows.append((each.name, str(each.messages), str(each.consumers)))
    columns.show_rows(rows)
    return 0


def _queue_purge(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> int:
    print(f"{_broker(conf).purge(arguments.name)} messages thrown away")
    return 0


def _broker(conf: cfg.ConfigOpts) -> broker.Broker:
    return transport.build_transport(conf).broker


def _queues(conf: cfg.ConfigOpts) -> list[str]:
    """Return the names of the queues that Orch makes."""
    return [contract.TOPIC, *notifications.queues_of(conf)]


def _purge(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> int:
    database = tables.open_ready(conf)
    older_than_s = arguments.older_than * _DAY_S
    stacks = _repeat(
        database, lambda conn: purge.purge_deleted(conn, older_than_s, _BATCH)
    )
    _repeat(
        database, lambda conn: drift_history.purge(conn, older_than_s, _BATCH)
    )
    texts = _repeat(database, lambda conn: purge.purge_contents(conn, _BATCH))
    with database.write() as conn:
        documents = abandonments.forget_old(conn, conf.abandoned_document_days)
    _repeat(
        database,
        lambda conn: forwarding.forget_old(conn, conf.abandoned_document_days),
    )
    _repeat(
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
    return 0


def _repeat(
    database: db_engine.Database,
    remove: collections.abc.Callable[[db_engine.Connection], int],
) -> int:
    """Remove batch after batch, each in a transaction; return how many."""
    total = 0
    while gone := database.run(remove):
        total += gone
    return total


def _key_new(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> int:
    print(sealing.new_key())
    return 0


def _key_show(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> int:
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
    return 0


def _credential_key_new(
    conf: cfg.ConfigOpts, arguments: argparse.Namespace
) -> int:
    print(credentials.new_key())
    return 0


def _credential_key_rotate(
    conf: cfg.ConfigOpts, arguments: argparse.Namespace
) -> int:
    total = rotation.renew_credentials(conf)
    print(f"{total} credentials sealed with the first key")
    return 0


def _secrets_rotate(
    conf: cfg.ConfigOpts, arguments: argparse.Namespace
) -> int:
    if conf.credentials.encryption_keys:
        _credential_key_rotate(conf, arguments)
    total = rotation.renew_values(conf)
    how = "decrypted"
    if conf.encrypt_parameters_and_properties:
        how = "sealed with the first key"
    print(f"values in {total} rows {how}")
    return 0


def _doctor(conf: cfg.ConfigOpts, arguments: argparse.Namespace) -> int:
    findings = doctor.run_checks(conf, clock.SystemClock())
    for each in findings:
        mark = "ok  " if each.is_good else "FAIL"
        print(f"{mark}  {each.topic}: {each.text}")
    return 0 if all(each.is_good for each in findings) else 1
