"""Two projects of one Orch with the same things in them.

What one has that the other has not are its *marks*: ids, names, values. None
of them may come to the other project, which knows and offers them all.
"""

import collections.abc
import contextlib
import functools
import json
import pathlib
import re
import sqlite3
import tempfile
import typing
import zlib

import bcrypt
import requests

from tests.support import rest
from tests.support import serving
from tests.support import waiting

Json = dict[str, typing.Any]
Rows = dict[str, list[Json]]

LEFT: typing.Final = "left-project"
"""The project whose things are offered."""
RIGHT: typing.Final = "right-project"
"""The project whose users offer them."""
ROLES: typing.Final = ("reader", "member", "chief")
OUTPUT: typing.Final = "result"
"""An output of the deployment of each project that has no resource."""
_SHORTEST = 8
_LONGEST = 255
_MOVING: typing.Final = (
    "event_sink_states",
    "change_records",
    "changed_stacks",
    "change_feed",
)
"""Tables that workers change by themselves."""
_WORD = re.compile(r"(?!.*left)[A-Za-z_. -]+")
"""Words that any project may have."""
_STAMP = re.compile(r"[\d:.TZ+ -]+")
_IDS: typing.Final = ("id", "name", "key", "tag", "server_id", "physical_id")
"""Columns of what identifies something; all others have free content."""


class TwoProjectsTestCase(serving.ServerTestCase):
    """Both projects have things of each kind.

    :cvar theirs: values of the left project by names of parameters
    :cvar own: the same of the right one
    """

    limit_s = 300
    theirs: typing.ClassVar[dict[str, str]]
    own: typing.ClassVar[dict[str, str]]

    @classmethod
    def setUpClass(cls) -> None:
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        file = pathlib.Path(place.name) / "users"
        hashed = bcrypt.hashpw(b"pw", bcrypt.gensalt(4)).decode()
        grants = [f"ann {LEFT} reader,member,admin"]
        for user in ROLES:
            role = "reader,member,admin" if user == "chief" else user
            grants.append(f"{user} {RIGHT} {role}")
        file.write_text(
            "".join(f"{user}:{hashed}\n" for user in ("ann", *ROLES))
        )
        cls.options = {
            "DEFAULT": {
                "enable_stack_adopt": True,
                "enable_stack_abandon": True,
            },
            "engine": {"lease_ttl": 2, "scan_interval": 0.2},
            "api": {
                "auth": "basic",
                "user_file": file,
                "basic_grants": "\nbasic_grants = ".join(grants),
            },
            "observer": {"enabled": False},
        }
        super().setUpClass()
        cls.own = _fill(cls.client_of("member", RIGHT), "rightmark")
        before = cls.rows()
        cls.theirs = _fill(cls.client_of("ann", LEFT), "leftmark")
        # The last notification leaves after its stack shows its end.
        waiting.wait_for(lambda: not cls.rows()["outbox"], "all are sent")
        cls.marks = [*_marks(cls.rows(), before, None), cls.theirs["told"]]
        cls.names = _marks(cls.rows(), before, _IDS)

    @classmethod
    def client_of(cls, user: str, project: str) -> rest.Client:
        """Return a client of a user."""
        base = cls.system.endpoint.rpartition("/")[0]
        client = rest.Client(f"{base}/{project}")
        client._session.auth = (user, "pw")
        cls.addClassCleanup(client.close)
        return client

    @classmethod
    def session_of(cls, user: str) -> requests.Session:
        """Return a session of a user."""
        session = requests.Session()
        session.auth = (user, "pw")
        session.trust_env = False
        cls.addClassCleanup(session.close)
        return session

    @classmethod
    def database(cls) -> pathlib.Path:
        """Return the file of the database."""
        return cls.system.directory / "state" / "orch.db"

    @classmethod
    def rows(cls) -> Rows:
        """Return all rows of all tables."""
        return read_rows(cls.database())

    def assert_apart(self, before: Rows) -> None:
        """Check that the left project has what it had, and nothing more."""
        self.assert_same(before, self.rows())

    def assert_same(self, before: Rows, after: Rows) -> None:
        """Check that the left project has the same rows."""
        stacks = {
            row["id"] for row in after["stacks"] if row["project_id"] == LEFT
        }
        for table, rows in before.items():
            if table in _MOVING:
                continue
            self.assertEqual(
                [row for row in rows if _is_of(row, table, stacks)],
                [row for row in after[table] if _is_of(row, table, stacks)],
                table,
            )


def read_rows(path: pathlib.Path) -> Rows:
    """Return all rows of all tables of a database."""
    found: Rows = {}
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)
    connection.row_factory = sqlite3.Row
    try:
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'"
        ).fetchall()
        for (name,) in tables:
            selected = connection.execute(f'SELECT * FROM "{name}"')
            found[name] = [dict(row) for row in selected]
    finally:
        connection.close()
    return found


def texts_of(rows: Rows, project: str) -> set[str]:
    """Return the texts in all rows of a project, and in their contents."""
    stacks = {
        row["id"] for row in rows["stacks"] if row["project_id"] == project
    }
    found = {
        text
        for table, listed in rows.items()
        for row in listed
        if _is_of(row, table, stacks, project)
        for text in texts(list(row.values()))
    }
    contents = {row["hash"]: row["body"] for row in rows["contents"]}
    waiting = found & contents.keys()
    while waiting:
        more = {
            text
            for each in waiting
            for text in texts(zlib.decompress(contents.pop(each)))
        }
        found |= more
        waiting = {
            each for each in contents if any(each in text for text in more)
        }
    return found


def texts(value: object) -> collections.abc.Iterator[str]:
    """Yield the texts of a value, those in maps and lists and JSON too."""
    if isinstance(value, str | bytes):
        yield from _texts_in(value)
    elif isinstance(value, collections.abc.Mapping):
        for name, each in value.items():
            yield str(name)
            yield from texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from texts(each)


@functools.lru_cache(maxsize=50_000)
def _texts_in(value: str | bytes) -> tuple[str, ...]:
    """Return the texts of one that may be JSON: most are read many times."""
    if isinstance(value, bytes):
        return _texts_in(value.decode("utf-8", "ignore"))
    if value[:1] in ("{", "[", '"'):
        with contextlib.suppress(ValueError):
            return tuple(texts(json.loads(value)))
    return (value,)


def _is_of(
    row: Json, table: str, stacks: set[str], project: str = LEFT
) -> bool:
    """Whether a row is of a project, which has these stacks."""
    if row.get("project_id") == project or row.get("stack_id") in stacks:
        return True
    return row.get("root_id") in stacks or (
        table == "stacks" and row["id"] in stacks
    )


def _marks(
    rows: Rows,
    before: Rows,
    columns: collections.abc.Collection[str] | None,
) -> list[str]:
    """Return the texts that have come since, of some columns or of all."""

    def found(
        among: Rows, only: collections.abc.Collection[str] | None
    ) -> set[str]:
        return {
            text
            for table in among.values()
            for row in table
            for column, value in row.items()
            if only is None or column in only or column.endswith("_id")
            for text in texts(value)
            if _SHORTEST <= len(text) <= _LONGEST
        }

    new = found(rows, columns) - found(before, None)
    return sorted(
        text
        for text in new
        if not _STAMP.fullmatch(text) and not _WORD.fullmatch(text)
    )


def template(word: str) -> Json:
    """Return a template with things of all kinds."""
    value = {"type": "OS::Heat::Value", "properties": {"value": f"{word}-in"}}
    secret = {"get_param": f"{word}_parameter"}
    return {
        "heat_template_version": "2021-04-16",
        "description": f"{word}-description",
        "parameters": {
            f"{word}_parameter": {"type": "string", "hidden": True}
        },
        "resources": {
            f"{word}_value": {
                "type": "OS::Heat::Value",
                "properties": {"value": f"{word}-content"},
                "metadata": {f"{word}_key": f"{word}-metadata"},
            },
            f"{word}_group": {
                "type": "OS::Heat::ResourceGroup",
                "properties": {"count": 1, "resource_def": value},
            },
            f"{word}_nested": {"type": f"{word}-file.yaml"},
            f"{word}_random": {"type": "OS::Heat::RandomString"},
            f"{word}_handle": {"type": "OS::Heat::WaitConditionHandle"},
            f"{word}_secret": {
                "type": "OS::Heat::TestResource",
                "properties": {"value": secret},
            },
            f"{word}_server": {
                "type": "OS::Heat::DeployedServer",
                "properties": {
                    "name": f"{word}-web",
                    "software_config_transport": "POLL_SERVER_HEAT",
                },
            },
            f"{word}_config": {
                "type": "OS::Heat::SoftwareConfig",
                "properties": {"config": f"{word}-script"},
            },
            f"{word}_deployment": {
                "type": "OS::Heat::SoftwareDeployment",
                "properties": {
                    "config": {"get_resource": f"{word}_config"},
                    "server": {"get_resource": f"{word}_server"},
                    "signal_transport": "NO_SIGNAL",
                },
            },
        },
        "outputs": {
            f"{word}_output": {
                "description": f"{word}-output-description",
                "value": {"get_attr": [f"{word}_value", "value"]},
            }
        },
    }


def _fill(client: rest.Client, word: str) -> dict[str, str]:
    """Make things of each kind; return values by names of parameters."""
    body: Json = {
        "parameters": {f"{word}_parameter": f"{word}-hidden"},
        "tags": f"{word}-tag",
        "files": {f"{word}-file.yaml": json.dumps(_child(word))},
        "environment": {
            "event_sinks": [
                {
                    "type": "webhook",
                    "target": f"http://127.0.0.1:9/{word}-sink",
                    "secret": f"{word}-sink-secret",
                }
            ]
        },
    }
    stack = client.create(f"{word}-stack", template(word), **body)
    client.wait(stack, "CREATE_COMPLETE", timeout_s=60)
    gone = client.create(f"{word}-gone", template(word), **body)
    client.wait(gone, "CREATE_COMPLETE", timeout_s=60)
    receiver = {"hand_over": {"project": f"{word}-receiver"}}
    client.ask("POST", f"{gone.path}/abandon", receiver)
    client.wait(gone, "DELETE_COMPLETE", timeout_s=60)
    snapshot: Json = client.ask(  # type: ignore[assignment]
        "POST", f"{stack.path}/snapshots", {"name": f"{word}-snapshot"}
    )
    client.wait(stack, "SNAPSHOT_COMPLETE", timeout_s=60)
    plan: Json = client.ask(  # type: ignore[assignment]
        "POST", f"{stack.path}/plans", {"action": "check"}
    )
    config: Json = client.ask(  # type: ignore[assignment]
        "POST",
        "/software_configs",
        {"name": f"{word}-config", "config": f"{word}-loose-script"},
    )
    rows = client.resources(stack)
    server = str(rows[f"{word}_server"]["physical_resource_id"])
    config_id = config["software_config"]["id"]
    deployment: Json = client.ask(  # type: ignore[assignment]
        "POST",
        "/software_deployments",
        {
            "config_id": config_id,
            "server_id": server,
            "input_values": {f"{word}_input": f"{word}-input"},
            "action": f"{word}-action",
        },
    )
    client.ask(
        "PUT",
        f"/software_deployments/{deployment['software_deployment']['id']}",
        {
            "output_values": {
                "deploy_stdout": f"{word}-stdout",
                "deploy_stderr": f"{word}-stderr",
                OUTPUT: f"{word}-deployed",
            }
        },
    )
    target = client.create(
        f"{word}-target", {"heat_template_version": "2021-04-16"}
    )
    client.wait(target, "CREATE_COMPLETE", timeout_s=60)
    spare: Json = client.ask(  # type: ignore[assignment]
        "POST", "/software_configs", {"name": f"{word}-spare"}
    )
    client.ask(
        "POST",
        "/search/saved",
        {
            "name": f"{word}-search",
            "description": f"{word}-search-description",
            "search": {"q": f"{word}*"},
            "is_shared": True,
        },
    )
    name = f"{word}_value"
    event = next(
        each for each in client.events(stack) if each["resource_name"] == name
    )
    operation: Json = client.get(  # type: ignore[assignment]
        f"{stack.path}/operations", "operations"
    )[0]  # type: ignore[index]
    project = client.endpoint.rpartition("/")[2]
    leftover_id, spare_leftover = _leave(client, word)
    return {
        "leftover_id": leftover_id,
        "spare_leftover": spare_leftover,
        "stack": stack.id,
        "stack_id": stack.id,
        "name": stack.name,
        "stack_name": stack.name,
        "gone_id": gone.id,
        "hand_over_id": gone.id,
        "gone_name": gone.name,
        "spare_id": spare["software_config"]["id"],
        "handle": f"{word}_handle",
        "stack_user_project_id": project,
        "tenant": project,
        "project": project,
        "X-Project-Id": project,
        "resource": name,
        "resource_name": name,
        "key": f"{word}_output",
        "event_id": str(event["id"]),
        "operation_id": str(operation["id"]),
        "snapshot_id": str(snapshot["id"]),
        "plan_id": plan["plan"]["id"],
        "config_id": config_id,
        "deployment_id": deployment["software_deployment"]["id"],
        "server_id": server,
        "target": target.name,
        "physical_resource_id": server,
        "parent": stack.id,
        "owner_id": stack.id,
        "id": stack.id,
        "marker": stack.id,
        "type_name": "OS::Heat::Value",
        "version": "heat_template_version.2021-04-16",
        "q": f"{word}*",
        "search_name": f"{word}-search",
        "told": f"{word}-search-description",
        "tags": f"{word}-tag",
    }


def _leave(client: rest.Client, word: str) -> list[str]:
    """Leave two child stacks over; return the ids of the leftovers."""
    failing = {"type": "OS::Heat::TestResource", "properties": {"fail": True}}
    child = {
        "heat_template_version": "2021-04-16",
        "resources": {f"{word}_failing": failing},
    }
    stack = client.create(
        f"{word}-leaving",
        {
            "heat_template_version": "2021-04-16",
            "resources": {f"{word}_left": {"type": f"{word}-left.yaml"}},
        },
        files={f"{word}-left.yaml": json.dumps(child)},
    )
    for _ in range(2):
        client.wait(stack, "CREATE_FAILED", timeout_s=60)
        client.ask(
            "POST",
            f"{stack.path}/actions",
            {"retry": {"orphan": [f"{word}_left"]}},
        )
    client.wait(stack, "CREATE_FAILED", timeout_s=60)
    found: Json = client.get("/leftovers", "leftovers")  # type: ignore[assignment]
    return [str(each["id"]) for each in found]


def _child(word: str) -> Json:
    value = {"type": "OS::Heat::Value", "properties": {"value": f"{word}-kid"}}
    return {
        "heat_template_version": "2021-04-16",
        "resources": {f"{word}_kid": value},
    }
