"""What runs on a server: polls, applies what it finds, and tells.

A process of its own, which behaves as os-collect-config with heat-config
does: it knows one address to poll. The metadata there say what is to be
applied, where each outcome is sent to, and where to poll from then on.
Nobody else tells it anything while it runs.

Usage: ``python -m tests.support.agent METADATA_URL``. Each line of output is
a JSON list: ``polled`` and where, ``applied``, the id of a config and the
value of its input ``greeting``, or ``told``, where and the status.
"""

import collections.abc
import json
import sys
import time
import urllib.parse

import requests

Json = dict[str, object]

_PAUSE_S = 0.1
_TIMEOUT_S = 5
_AGENT = "os-collect-config"


def run(place: str) -> None:
    """Poll until somebody kills the process."""
    applied: set[str] = set()
    told: set[str] = set()
    while True:
        found = _poll(place)
        for config in found.get("deployments", []):
            if config["id"] in told:
                continue
            if config["id"] not in applied:
                applied.add(config["id"])
                _say("applied", config["id"], _inputs(config)["greeting"])
            if _tell(config):
                told.add(config["id"])
        place = (
            found.get(_AGENT, {}).get("heat", {}).get("metadata_url", place)
        )
        time.sleep(_PAUSE_S)


def _poll(place: str) -> dict:
    """Return the metadata; empty while nobody answers."""
    try:
        answer = requests.get(place, timeout=_TIMEOUT_S)
    except requests.RequestException:
        return {}
    if answer.status_code != 200:
        return {}
    _say("polled", _origin(place))
    return answer.json()["metadata"]


def _tell(config: dict) -> bool:
    """Answer whether the outcome was taken; it is told again otherwise."""
    inputs = _inputs(config)
    place = str(inputs["deploy_signal_id"])
    details = {
        "deploy_status_code": 0,
        "deploy_stdout": f"{inputs['greeting']}\n",
        "deploy_stderr": "",
        "result": inputs["greeting"],
    }
    try:
        answer = requests.request(
            str(inputs["deploy_signal_verb"]),
            place,
            json=details,
            timeout=_TIMEOUT_S,
        )
    except requests.RequestException:
        return False
    _say("told", _origin(place), answer.status_code)
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
    run(sys.argv[1])
