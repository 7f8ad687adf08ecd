"""What tests hand to plug-ins: options, and a context with defaults."""

import collections.abc
import pathlib

from oslo_config import cfg

from orch import clock
from orch.conf import api
from orch.conf import egress
from orch.conf import http_resource
from orch.conf import local
from orch.context import request
from orch.plugin import call_context
from orch.plugin import resource

TOKEN = "6f1f64d4-6c7f-4d3a-9e3c-2f2f9a9b1c01"


class FakeClock:
    """A clock that moves only when a test says so."""

    def __init__(self, now: float = 1000.0) -> None:
        self.time = now

    def now(self) -> clock.Timestamp:
        return clock.Timestamp(self.time)

    def monotonic(self) -> float:
        return self.time


def options(
    root: pathlib.Path | None = None, **http: object
) -> cfg.ConfigOpts:
    """Return options as a process has them; with a root, local is on."""
    conf = cfg.ConfigOpts()
    local.SECTION.register(conf)
    http_resource.SECTION.register(conf)
    api.SECTION.register(conf)
    egress.SECTION.register(conf)
    conf([], default_config_files=[])
    if root is not None:
        conf.set_override("enabled", True, "local")
        conf.set_override("root", str(root), "local")
    # The services of tests are here.
    conf.set_override("allowed_networks", ["127.0.0.0/8"], "egress")
    for name, value in http.items():
        conf.set_override(name, value, "http_resource")
    return conf


def complete(
    plugin: type[resource.Resource],
    given: collections.abc.Mapping[str, object],
) -> dict[str, object]:
    """Return the properties with the schema's defaults filled in."""
    declared = {item.name: item.default for item in plugin.properties}
    return {**declared, **given}


def make(
    plugin: type[resource.Resource],
    *,
    token: str = TOKEN,
    called: str = "thing",
    physical_id: str | None = None,
    data: collections.abc.Mapping[str, object] | None = None,
    started_at: float = 1000.0,
    **properties: object,
) -> call_context.Context:
    """Return the context of a resource with these properties."""
    return call_context.Context(
        request=request.RequestContext(project_id="demo"),
        stack_id="5d4b3a1e-0000-4000-8000-000000000001",
        stack_name="shop",
        name=called,
        token=token,
        attempt=1,
        physical_name="shop-thing-abcdefghijkl",
        physical_id=physical_id,
        properties=complete(plugin, properties),
        metadata={},
        data=data or {},
        started_at=clock.Timestamp(started_at),
    )


def names(place: pathlib.Path) -> list[str]:
    """Return the names in a directory, sorted; of none, none."""
    if not place.is_dir():
        return []
    return sorted(path.name for path in place.iterdir())
