"""What tests of searches share: what is found, and who asks."""

import typing

from tests.unit.api import fakes

PATH = "/v1/demo/search"
STACK_ID = fakes.STACK_ID
RESOURCE_ID = "0d1e2f30-0000-4000-8000-000000000001"

DOCUMENT: dict[str, typing.Any] = {
    "id": f"stack/{STACK_ID}",
    "kind": "stack",
    "stack_id": STACK_ID,
    "root_id": STACK_ID,
    "project_id": "demo",
    "path": "web",
    "name": "web",
    "type": "OS::Heat::Stack",
    "action": "CREATE",
    "status": "FAILED",
    "reason": "disk full",
    "description": "a shop",
    "created_at": 1763632800.0,
    "updated_at": None,
    "physical_id": "",
    "owner": "ann",
    "tags": ["prod"],
    "drift": "in_sync",
    "is_hidden": False,
    "fields": {"parameters.size": ["large"], "outputs.ports": [80, 443]},
    "texts": {"template": "heat_template_version: 2021-04-16"},
    "admin": {},
}
RESOURCE = {
    **DOCUMENT,
    "id": f"resource/{RESOURCE_ID}",
    "kind": "resource",
    "path": "web/db/server",
    "name": "server",
    "type": "OS::Nova::Server",
    "physical_id": "vm-1",
    "fields": {"properties.flavor": ["m1.large"]},
    "texts": {},
    "admin": {"attributes.host": ["rack-1"]},
}
FOUND: dict[str, typing.Any] = {
    "total": 7,
    "took_ms": 3,
    "hits": [
        {
            "document": DOCUMENT,
            "score": 2.5,
            "highlights": {"reason": ["<em>disk</em> full"]},
            "cursor": "c1",
        },
        {
            "document": RESOURCE,
            "score": 1.5,
            "highlights": {},
            "cursor": "c2",
        },
    ],
    "facets": {
        "type": [
            {"value": "OS::Nova::Server", "count": 5},
            {"value": "OS::Heat::Stack", "count": 2},
        ]
    },
    "statistics": {
        "size": {"count": 2, "min": 1.0, "max": 3.0, "sum": 4.0, "avg": 2.0}
    },
    "aggregations": {
        "one": {
            "buckets": [
                {"key": "OS::Nova::Server", "count": 5, "children": {}}
            ]
        },
        "days": {
            "buckets": [
                {
                    "key": 1763596800.0,
                    "count": 2,
                    "children": {
                        "kinds": {
                            "buckets": [
                                {"key": "stack", "count": 2, "children": {}}
                            ]
                        },
                        "total": {
                            "statistics": {
                                "count": 1,
                                "min": 3.0,
                                "max": 3.0,
                                "sum": 3.0,
                                "avg": 3.0,
                            }
                        },
                    },
                }
            ]
        },
        "different": {"value": 4},
        **{
            name: {
                "statistics": {
                    "count": 2,
                    "min": 1.0,
                    "max": None,
                    "sum": 4.0,
                    "avg": 2.0,
                }
            }
            for name in ("all", "mean", "many", "none")
        },
    },
    "next": "c2",
    "is_cut": False,
    "is_complete": True,
    "history_since": None,
}
READER = {"X-Roles": "reader"}


class SearchTestCase(fakes.ApiTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.bus.answers["search.query"] = FOUND

    def sent_request(self) -> dict[str, typing.Any]:
        """Return the request of the only search."""
        return typing.cast(
            dict[str, typing.Any], self.bus.sent("search.query")["request"]
        )

    def scope(self) -> object:
        return self.bus.sent("search.query")["scope"]

    def post(
        self, body: object, status: int = 200, path: str = PATH
    ) -> dict[str, typing.Any]:
        answer = self.ask("POST", path, status, json=body)
        return typing.cast(dict[str, typing.Any], answer.json)
