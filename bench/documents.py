"""What documents cost: a group of stacks with a long template each.

``python -m bench.documents [--members 500] [--kilobytes 12]`` starts
``orch-all`` on SQLite, creates the group, and abandons and adopts it once in
each form of the document: plain, compact, and plain with the inputs repeated
in each member, as former versions wrote it. Sizes are bytes of JSON, CPU
seconds those of the server's whole process. Results go to
``results/embedded-documents.jsonl``.
"""

import argparse
import json
import pathlib
import tempfile
import typing

import yaml

from bench import forms
from bench import lifecycle
from bench import machine
from tests.support import rest
from tests.support import systems

RESULTS = (
    pathlib.Path(__file__).with_name("results") / "embedded-documents.jsonl"
)
FORMS = ("plain", "compact", "repeated")
_LIFTED: systems.Options = {
    "adoption": {
        "max_document_size": -1,
        "max_unpacked_document_size": -1,
    }
}
_WAIT_S = 600

Json = dict[str, typing.Any]


def main() -> None:
    """Measure each form, and store the results."""
    asked = _parse()
    lines: list[dict[str, object]] = [machine.describe()]
    with (
        tempfile.TemporaryDirectory() as directory,
        forms.running("embedded", pathlib.Path(directory), _LIFTED) as system,
    ):
        wanted, files = _group(asked.members, asked.kilobytes)
        stack = system.client.create("group", wanted, files=files)
        system.client.wait(stack, "CREATE_COMPLETE", timeout_s=_WAIT_S)
        for form in FORMS:
            stack, line = _measure(system, stack, form, files["leaf.yaml"])
            print(json.dumps(line), flush=True)
            lines.append({**line, "members": asked.members})
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(
        "".join(json.dumps(line) + "\n" for line in lines), "utf-8"
    )


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.documents")
    parser.add_argument("--members", type=int, default=500)
    parser.add_argument("--kilobytes", type=int, default=12)
    return parser.parse_args()


def _group(members: int, kilobytes: int) -> tuple[Json, dict[str, str]]:
    """Return the template of a group, and the file of its members."""
    version = "2021-04-16"
    leaf = {
        "heat_template_version": version,
        "description": "long " * (kilobytes * 1000 // 5),
        "resources": {
            name: {"type": "OS::Heat::RandomString"} for name in "abcd"
        },
    }
    group = {
        "type": "OS::Heat::ResourceGroup",
        "properties": {
            "count": members,
            "resource_def": {"type": "leaf.yaml"},
        },
    }
    wanted = {"heat_template_version": version, "resources": {"g": group}}
    return wanted, {"leaf.yaml": yaml.safe_dump(leaf)}


def _measure(
    system: systems.System, stack: rest.Stack, form: str, leaf: str
) -> tuple[rest.Stack, dict[str, object]]:
    """Abandon a stack and adopt it; return the new one, and what it cost."""
    client = system.client
    marks = [lifecycle.read_cpu_s(system)]
    query = "compact" if form == "compact" else "plain"
    document = typing.cast(
        Json, client.ask("DELETE", f"{stack.path}/abandon?form={query}")
    )
    client.wait(stack, "DELETE_COMPLETE", timeout_s=_WAIT_S)
    marks.append(lifecycle.read_cpu_s(system))
    if form == "repeated":
        _repeat_inputs(document, leaf)
    answer = typing.cast(
        Json,
        client.ask(
            "POST",
            "/stacks",
            {"stack_name": "group", "adopt_stack_data": document},
        ),
    )
    adopted = rest.Stack("group", str(answer["stack"]["id"]))
    client.wait(adopted, "ADOPT_COMPLETE", timeout_s=_WAIT_S)
    marks.append(lifecycle.read_cpu_s(system))
    return adopted, {
        "form": form,
        "bytes": len(json.dumps(document, separators=(",", ":"))),
        "abandon_cpu_s": round(marks[1] - marks[0], 2),
        "adopt_cpu_s": round(marks[2] - marks[1], 2),
    }


def _repeat_inputs(document: Json, leaf: str) -> None:
    """Add the inputs that former versions wrote for each member."""
    group = document["resources"]["g"]
    group.update(
        template={"resources": {}}, environment={}, files=document["files"]
    )
    template = yaml.safe_load(leaf)
    for member in group["resources"].values():
        member.update(
            template=template, environment={}, files=document["files"]
        )


if __name__ == "__main__":
    main()
