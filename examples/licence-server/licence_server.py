"""Gives out licences to stacks: a service that Orch asks by its webhook.

It needs nothing but Python. It checks who asks, denies what there is no
licence for, and takes licences back when a stack goes or comes to nothing.
"""

import argparse
import base64
import collections
import hashlib
import hmac
import http.server
import json
import pathlib
import sys
import threading
import time

_TOLERANCE_S = 300


class Licences:
    """The number of licences of each stack; a repeated call has no effect."""

    def __init__(self, most: int, type_name: str) -> None:
        """Begin with all of them free.

        :param type_name: each resource of it takes one
        """
        self._most = most
        self._type_name = type_name
        self._lock = threading.Lock()
        self._held = collections.Counter()
        self._before = {}

    def judge(self, call: dict) -> dict:
        """Return the verdict before an operation, and take what it needs."""
        stack = (call["after"] or call["before"])["root_id"]
        operation = call["operation"]
        needed = self._count(call["after"])
        with self._lock:
            # A call that comes again must not count twice.
            held = self._before.get(operation["id"], self._held[stack])
            free = self._most - self._held.total() + self._held[stack]
            if needed > free:
                return {
                    "ruling": "deny",
                    "text": f"{needed} licences are needed, {free} are free",
                }
            if not operation["is_preview"]:
                self._before[operation["id"]] = held
                self._held[stack] = max(held, needed)
        return {"ruling": "allow"}

    def settle(self, call: dict) -> None:
        """Store the number of licences of the stack after an operation."""
        stack = (call["after"] or call["before"])["root_id"]
        with self._lock:
            self._before.pop(call["operation"]["id"], None)
            self._held[stack] = self._count(call["after"], made_only=True)

    def _count(self, view: dict | None, made_only: bool = False) -> int:
        if view is None:
            return 0
        found = 0
        for each in view["resources"].values():
            is_made = not made_only or each["physical_id"] is not None
            found += each["type"] == self._type_name and is_made
            found += self._count(each["child_stack"], made_only)
        return found


def is_genuine(headers, body: bytes, secret: bytes) -> bool:
    """Answer whether a request was signed with the secret, just now."""
    moment = headers.get("webhook-timestamp", "")
    if not moment.isdecimal():
        return False
    if abs(time.time() - int(moment)) > _TOLERANCE_S:
        return False
    call_id = headers.get("webhook-id", "")
    content = b".".join([call_id.encode(), moment.encode(), body])
    wanted = base64.b64encode(
        hmac.digest(secret, content, hashlib.sha256)
    ).decode()
    return any(
        hmac.compare_digest(each.encode(), f"v1,{wanted}".encode())
        for each in headers.get("webhook-signature", "").split(" ")
    )


def server(
    licences: Licences, secret: bytes, port: int
) -> http.server.ThreadingHTTPServer:
    """Return what listens on a port of this machine; 0 for any."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            body = self.rfile.read(length)
            if not is_genuine(self.headers, body, secret):
                self._answer(403, {"error": "the signature is wrong"})
                return
            call = json.loads(body)
            if call["phase"] == "pre":
                self._answer(200, licences.judge(call))
            else:
                licences.settle(call)
                self._answer(200, {})

        def _answer(self, status: int, answer: dict) -> None:
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)


def main() -> None:
    """Serve until the process is stopped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8070)
    parser.add_argument("--licences", type=int, default=10)
    parser.add_argument("--type", default="OS::Nova::Server")
    parser.add_argument("--secret-file", required=True, type=pathlib.Path)
    given = parser.parse_args()
    secret = given.secret_file.read_bytes().strip()
    listening = server(
        Licences(given.licences, given.type), secret, given.port
    )
    print(f"listening on {listening.server_address[1]}", file=sys.stderr)
    listening.serve_forever()


if __name__ == "__main__":
    main()
