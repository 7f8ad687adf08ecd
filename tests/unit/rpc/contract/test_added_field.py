"""A field that is added to facts is there on the whole way to the client."""

import collections.abc
import dataclasses
import typing
import uuid

import jsonschema
from oslo_config import cfg

from orch.api.response_schemas import facts as schemas
from orch.api.views import facts as views
from orch.context import request
from orch.rpc import contract
from orch.rpc import endpoint
from orch.rpc import options
from orch.rpc import proxy
from orch.rpc import server
from orch.rpc import transport
from orch.rpc.contract import rest
from tests import base
from tests.unit.tools.client_values import loading
from tools.client_values import classes
from tools.client_values import source


class LongerFacts(contract.DriftSummary):
    """The drift of a stack, and who has requested it.

    :ivar requested_by: the user; null for nobody
    """

    requested_by: typing.Annotated[str | None, rest.Name("requester")]


FACTS = LongerFacts(
    state="drifted",
    coverage=50,
    observed_at=0.0,
    drifted=2,
    requested_by="ann",
)


class AddedFieldTest(base.TestCase):
    def call(self) -> dict[str, typing.Any]:
        """Return what a worker answers over the bus of one process."""
        conf = cfg.ConfigOpts()
        conf([], default_config_files=[])
        options.register_options(conf)
        bus = transport.build_transport(
            conf, f"orch-inproc:///{uuid.uuid4().hex}"
        )
        self.addCleanup(bus.cleanup)
        functions: dict[str, collections.abc.Callable[..., object]] = {
            "list": lambda ctxt: [FACTS],
            "revision": lambda ctxt: "",
        }
        served = server.build_server(
            bus, "worker", [endpoint.Endpoint(contract.Services, functions)], 1
        )
        served.serve()
        self.addCleanup(served.stop)
        client = proxy.proxy(contract.Services, transport.Caller(bus, 30))
        (found,) = client.list(request.RequestContext())
        return typing.cast("dict[str, typing.Any]", found)

    def value(self, kind: type) -> typing.Any:
        """Return the class of the client that is made of facts."""
        (known,) = (
            each
            for each in classes.VALUES
            if each.facts is contract.DriftSummary
        )
        longer = dataclasses.replace(known, facts=kind, module="written")
        (text,) = source.write_modules([longer]).values()
        return loading.load(text).DriftSummary

    def test_it_is_in_rpc_rest_openapi_and_the_client(self) -> None:
        answer = self.call()
        body = views.view(answer, LongerFacts)
        schema = schemas.Components({}, {}).of(LongerFacts)
        value = self.value(LongerFacts)

        self.assertEqual("ann", answer["requested_by"])
        self.assertEqual("ann", body["requester"])
        jsonschema.validate(body, schema)
        self.assertEqual("ann", value.of(body).requested_by)
        self.assertIn(":ivar requested_by: the user; ``None``", value.__doc__)

    def test_null_for_it_comes_as_none(self) -> None:
        body = views.view({**FACTS, "requested_by": None}, LongerFacts)

        jsonschema.validate(body, schemas.Components({}, {}).of(LongerFacts))
        self.assertIsNone(self.value(LongerFacts).of(body).requested_by)

    def test_without_it_neither_schema_nor_client_knows_it(self) -> None:
        body = views.view(FACTS, LongerFacts)
        schema = schemas.Components({}, {}).of(contract.DriftSummary)

        self.assertNotIn("requester", views.view(FACTS, contract.DriftSummary))
        self.assertRaises(
            jsonschema.ValidationError, jsonschema.validate, body, schema
        )
        found = self.value(contract.DriftSummary).of(body)
        self.assertFalse(hasattr(found, "requested_by"))
