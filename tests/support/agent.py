"""What runs on a server: polls, applies what it finds, and tells.

A process of its own, which behaves as os-collect-config with heat-config
does: it knows one address to poll, and a login where it has to show one. The
metadata there say what is to be applied, where each outcome is sent to, and
where to poll from then on. Nobody else tells it anything while it runs.

Usage: ``python -m tests.support.agent METADATA_URL [LOGIN]``. LOGIN is a JSON
object, what keystoneauth's password plug-in wants; the agent then polls the
endpoint of the catalogue, as os-collect-config's collector ``heat`` does, and
of METADATA_URL counts what stands behind the project. Each line of output is
a JSON list: ``polled`` and where, ``applied``, the id of a config and the
value of its input ``greeting``, or ``told``, where and the status.
"""

import collections.abc
import json
import sys
import time
import urllib.parse

import keystoneauth1.exceptions
import requests
from keystoneauth1 import session
from keystoneauth1.identity import v3

Json = dict[str, object]

_PAUSE_S = 0.1
_TIMEOUT_S = 5
_AGENT = "os-collect-config"
_HEAT = "HEAT_SIGNAL"


def run(place: str, login: dict[str, str] | None = None) -> None:
    """Poll until somebody kills the process."""
    applied: set[str] = set()
    told: set[str] = set()
    while True:
        found = _poll(place, login)
        for config in found.get("deployments", []):
            if config["id"] in told:
                continue
            if config["id"] not in applied:
                applied.add(config["id"])
                _say("applied", config["id"], _inputs(config)["greeting"])
            if _report(config):
                told.add(config["id"])
        own = found.get(_AGENT, {})
        for collector in ("heat", "request"):
            place = own.get(collector, {}).get("metadata_url", place)
        time.sleep(_PAUSE_S)


def _poll(place: str, login: dict[str, str] | None) -> dict:
    """Return the metadata; empty while nobody answers."""
    try:
        if login is None:
            answer = requests.get(place, timeout=_TIMEOUT_S)
        else:
            below = place[place.index("/stacks/") :]
            answer = ask("GET", below, login)
    except (
        requests.RequestException,
        keystoneauth1.exceptions.ClientException,
    ):
        return {}
    if answer.status_code != 200:
        return {}
    _say("polled", _origin(answer.url))
    found = answer.json()
    # An object of Swift holds what our API shows below "metadata".
    return found.get("metadata", found)


def ask(
    method: str,
    below: str,
    login: dict[str, str],
    region: str | None = None,
    body: object = None,
) -> requests.Response:
    """Return what the API of the catalogue answers to who logs in so.

    :param below: the path below the endpoint
    """
    auth = v3.Password(**login)
    with requests.Session() as own:
        held = session.Session(auth=auth, session=own, timeout=_TIMEOUT_S)
        return held.request(
            below,
            method,
            json=body,
            raise_exc=False,
            endpoint_filter={
                "service_type": "orchestration",
                "interface": "public",
                "region_name": region,
            },
        )


def signal(config: dict, details: Json) -> requests.Response:
    """Send how it went, as heat-config does by the inputs of the config."""
    inputs = {name: str(value) for name, value in _inputs(config).items()}
    if inputs["deploy_signal_transport"] != _HEAT:
        return requests.request(
            inputs["deploy_signal_verb"],
            inputs["deploy_signal_id"],
            json=details,
            timeout=_TIMEOUT_S,
        )
    below = (
        f"/stacks/{inputs['deploy_stack_id']}/resources/"
        f"{inputs['deploy_resource_name']}/signal"
    )
    return ask(
        "POST",
        below,
        login_of(inputs),
        inputs["deploy_region_name"],
        details,
    )


def login_of(inputs: dict[str, str]) -> dict[str, str]:
    """Return how a config says that its outcome is told, logged in."""
    return {
        "auth_url": inputs["deploy_auth_url"],
        "user_id": inputs["deploy_user_id"],
        "password": inputs["deploy_password"],
        "project_id": inputs["deploy_project_id"],
    }


def _report(config: dict) -> bool:
    """Answer whether the outcome was taken; it is told again otherwise."""
    inputs = _inputs(config)
    details = {
        "deploy_status_code": 0,
        "deploy_stdout": f"{inputs['greeting']}\n",
        "deploy_stderr": "",
        "result": inputs["greeting"],
    }
    try:
        answer = signal(config, details)
    except (
        requests.RequestException,
        keystoneauth1.exceptions.ClientException,
    ):
        return False
    _say("told", _origin(answer.url), answer.status_code)
    return answer.status_code // 100 == 2


def _inputs(config: dict) -> Json:
    return {one["name"]: one.get("value") for one in config["inputs"]}


def _origin(place: str) -> str:
    parts = urllib.parse.urlsplit(place)
    return f"{parts.scheme}://{parts.netloc}"


def _say(*words: object) -> None:
    print(json.dumps(words), flush=True)


def heard(text: str) -> collections.abc.Iterator[tuple[object, ...]]:
    """Yield what an agent has said, line by line; a torn last one not."""
    for line in text.split("\n")[:-1]:
        yield tuple(json.loads(line))


if __name__ == "__main__":
    run(sys.argv[1], *map(json.loads, sys.argv[2:]))
