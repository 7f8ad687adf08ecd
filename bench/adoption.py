"""What it costs to adopt physical resources, beside creating them.

A service on the loopback address keeps a thousand resources; one stack creates
them, is abandoned, and adopted again, in turn. The adoption reads lists, or
each by itself.
"""

import http.server
import json
import pathlib
import socketserver
import tempfile
import threading
import urllib.parse

from bench import forms
from tests.support import installations
from tests.support import systems

SIZE = 1000
PAIRS = 5
_PAGE = 500
_VERSION = "2021-04-16"
_LIST = {"pointer": "/things", "next_pointer": "/next"}
_READS: dict[str, dict[str, object]] = {"list": {"list": _LIST}, "each": {}}
"""Further properties, by how an adoption reads."""


class _Service(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """Keeps JSON documents; each has the id that its number makes."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self) -> None:
        self.known: dict[str, dict[str, object]] = {}
        self.made = 0
        self.lock = threading.Lock()
        self.reads = 0
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Service

    def do_POST(self) -> None:
        """Keep a document under a new id."""
        size = int(self.headers.get("Content-Length") or 0)
        document = json.loads(self.rfile.read(size) or b"{}")
        with self.server.lock:
            self.server.made += 1
            name = f"t{self.server.made}"
            self.server.known[name] = document
        self._answer(201, {"id": name})

    def do_GET(self) -> None:
        """Return a document, or a page of them all."""
        with self.server.lock:
            self.server.reads += 1
        place = urllib.parse.urlsplit(self.path)
        if place.path == "/things":
            self._answer(200, self._page(place.query))
            return
        found = self.server.known.get(place.path.rpartition("/")[2])
        self._answer(404 if found is None else 200, found)

    def _page(self, query: str) -> dict[str, object]:
        begin = int(urllib.parse.parse_qs(query).get("from", ["0"])[0])
        with self.server.lock:
            known = list(self.server.known.items())
        page = known[begin : begin + _PAGE]
        end = begin + len(page)
        return {
            "things": [{"id": name, **found} for name, found in page],
            "next": f"/things?from={end}" if end < len(known) else None,
        }

    def do_DELETE(self) -> None:
        """Forget a document."""
        self.server.known.pop(self.path.rpartition("/")[2], None)
        self._answer(204, None)

    def log_message(self, *words: object) -> None:
        """Say nothing."""

    def _answer(self, status: int, document: object) -> None:
        text = b"" if status == 204 else json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(text)


def measure(form: str, target: pathlib.Path) -> None:
    """Keep a line for each way to read, with the CPU seconds of each pair."""
    for reads, properties in _READS.items():
        pairs = _measure(form, properties)
        line = json.dumps(
            {"op": "adopt", "resources": SIZE, "by": reads, "pairs": pairs}
        )
        print(line, flush=True)
        with target.open("a", encoding="utf-8") as results:
            results.write(line + "\n")


def _measure(
    form: str, properties: dict[str, object]
) -> list[dict[str, float]]:
    service = _Service()
    threading.Thread(target=service.serve_forever, daemon=True).start()
    try:
        with (
            tempfile.TemporaryDirectory() as directory,
            forms.running(
                form,
                pathlib.Path(directory),
                {
                    "egress": {"allowed_networks": "127.0.0.0/8"},
                    "DEFAULT": {
                        **forms.LIFTED["DEFAULT"],
                        **installations.SWITCHED_ON["DEFAULT"],
                    },
                },
            ) as system,
        ):
            return [
                _pair(system, service, f"s{number}", properties)
                for number in range(PAIRS)
            ]
    finally:
        service.shutdown()
        service.server_close()


def _pair(
    system: systems.System,
    service: _Service,
    name: str,
    properties: dict[str, object],
) -> dict[str, float]:
    """Return what a creation and the adoption of the same cost."""
    client = system.client
    service.known.clear()
    began = _all_cpu_s(system)
    stack = client.create(name, _template(service, properties))
    client.wait(stack, "CREATE_COMPLETE", timeout_s=300)
    create_s = _all_cpu_s(system) - began
    document = client.ask("DELETE", f"{stack.path}/abandon")
    client.wait(stack, "DELETE_COMPLETE", timeout_s=120)
    began, service.reads = _all_cpu_s(system), 0
    body = {"stack_name": name, "adopt_stack_data": document}
    client.ask("POST", "/stacks", body)
    (again,) = client.get(f"/stacks?name={name}", "stacks")
    adopted = type(stack)(name, again["id"])
    client.wait(adopted, "ADOPT_COMPLETE", timeout_s=300)
    return {
        "create_cpu_s": round(create_s, 2),
        "adopt_cpu_s": round(_all_cpu_s(system) - began, 2),
        "reads": service.reads,
    }


def _template(
    service: _Service, properties: dict[str, object]
) -> dict[str, object]:
    port = service.server_address[1]
    return {
        "heat_template_version": _VERSION,
        "resources": {
            f"r{number}": {
                "type": "Orch::HTTP::Resource",
                "properties": {
                    "url": f"http://127.0.0.1:{port}",
                    "create": {
                        "path": "/things",
                        "body": {"name": f"r{number}", "size": 1},
                    },
                    "read": {},
                    **properties,
                },
            }
            for number in range(SIZE)
        },
    }


def _all_cpu_s(system: systems.System) -> float:
    return sum(_cpu_s(process.pid) for process in system.members)


def _cpu_s(pid: int) -> float:
    text = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100
