"""A few documents that queries are tried on."""

import datetime

from orch import clock
from orch.search import document

SERVER_ID = "11111111-2222-3333-4444-555555555555"


def moment(text: str) -> clock.Timestamp:
    """Return a moment of ISO 8601."""
    return clock.Timestamp(datetime.datetime.fromisoformat(text).timestamp())


NOW = moment("2026-03-01T12:00:00Z")

SHOP = document.Document(
    id="stack/0a0a",
    kind="stack",
    stack_id="0a0a",
    root_id="0a0a",
    project_id="p1",
    path="shop",
    name="shop",
    type="OS::Heat::Stack",
    action="UPDATE",
    status="COMPLETE",
    description="The shop of the town",
    created_at=moment("2026-01-15T10:00:00.5Z"),
    updated_at=moment("2026-03-01T11:30:00Z"),
    owner="alice",
    tags=("blue", "Green tea"),
    drift="in_sync",
    fields={"parameters.size": (12,), "outputs.url": ("http://shop:80/",)},
    texts={"template": "resources: {web: {flavor: m1.large}}"},
    admin={"operation.worker": ("host-7",)},
)

WEB = document.Document(
    id=f"resource/{SERVER_ID[::-1]}",
    kind="resource",
    stack_id="0a0a",
    root_id="0a0a",
    project_id="p1",
    path="shop/web-1",
    name="web-1",
    type="OS::Nova::Server",
    action="CREATE",
    status="FAILED",
    reason="No valid host: disk full <now>",
    created_at=moment("2026-01-05T00:00:00Z"),
    physical_id=SERVER_ID,
    owner="alice",
    drift="drifted",
    fields={
        "properties.flavor": ("m1.large",),
        "properties.size": ("5",),
        "properties.since": ("2026-01-20T00:00:00Z",),
        "properties.is_public": (True,),
        "properties.load": (0.5,),
    },
    texts={"events": "drifted after a fault"},
)

DB = document.Document(
    id="resource/db",
    kind="resource",
    stack_id="0b0b",
    root_id="0a0a",
    project_id="p2",
    path="shop/db/server",
    name="server",
    type="OS::Nova::Server",
    action="CREATE",
    status="IN_PROGRESS",
    reason="The disk is not full",
    fields={"attributes.flavor": ("m1.small", "m1.large"), "size": (20,)},
)

ALL = {"shop": SHOP, "web": WEB, "db": DB}
