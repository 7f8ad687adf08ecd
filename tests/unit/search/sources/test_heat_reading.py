"""Answers as Heat gives them: ``******`` for hidden parameters, no more.

What a resource or a stack in a stack was given, the rest of the API shows in
plain.
"""

import typing

import fixtures
import yaml
from heatclient import exc

from orch.search import document
from orch.search.sources import heat_reading
from tests import base
from tests.unit.model import test_presigned

Json = dict[str, typing.Any]

_CANARY = "canary-heat-77d1"
_HIDDEN_TAG = "secret-service"
_ROOT = "11111111-1111-4111-8111-111111111111"


class Answer:
    """What python-heatclient makes of a map."""

    def __init__(self, told: Json) -> None:
        self._told = told

    def to_dict(self) -> Json:
        return self._told


class Heat:
    """An API with some stacks, asked as python-heatclient asks.

    :ivar unlisted: ids of stacks that only lists with hidden ones have
    :ivar calls: what was asked for
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []
        self.unlisted: set[str] = set()
        self._stacks: dict[str, Json] = {}
        self._templates: dict[str, object] = {}
        self._rows: dict[str, list[Json]] = {}
        self._events: dict[str, list[Json]] = {}
        self._registries: dict[str, Json] = {}
        # As the client has them: a manager for each noun.
        self.stacks = self.resources = self.events = self

    def put(
        self,
        stack_id: str,
        template: str | None,
        *rows: Json,
        events: list[Json] | None = None,
        registry: Json | None = None,
        **more: object,
    ) -> None:
        """Have a stack; ``None`` for a template that it does not show."""
        self._stacks[stack_id] = {
            "id": stack_id,
            "stack_name": f"stack-{stack_id[:4]}",
            "stack_status": "CREATE_COMPLETE",
            "stack_status_reason": "Stack CREATE completed successfully",
            "project": "p1",
            **more,
        }
        if template is not None:
            self._templates[stack_id] = yaml.safe_load(template)
        for each in rows:
            each["links"] = [
                {"rel": "stack", "href": f"http://h/v1/p1/stacks/s/{stack_id}"}
            ]
            inner = each.pop("inner", "")
            if inner:
                each["physical_resource_id"] = inner
                link = f"http://h/v1/p1/stacks/inner/{inner}"
                each["links"].append({"rel": "nested", "href": link})
        self._rows[stack_id] = list(rows)
        self._events[stack_id] = events or []
        self._registries[stack_id] = registry or {}

    def get(self, stack_id: str) -> Answer:
        self.calls.append(("get", stack_id))
        if stack_id not in self._stacks:
            raise exc.HTTPNotFound
        return Answer(self._stacks[stack_id])

    def template(self, stack_id: str) -> object:
        self.calls.append(("template", stack_id))
        if stack_id not in self._templates:
            raise exc.HTTPForbidden
        return self._templates[stack_id]

    def environment(self, stack_id: str) -> Json:
        self.calls.append(("environment", stack_id))
        return {"resource_registry": self._registries[stack_id]}

    def list(self, stack_id: str, **options: object) -> list[Answer]:
        if "resource_status" in options:
            return [Answer(each) for each in self._events[stack_id]]
        self.calls.append(("list", stack_id))
        rows = list(self._rows.get(stack_id, []))
        if options.get("nested_depth"):
            for row in rows:
                inner = row["physical_resource_id"]
                rows += self._rows.get(inner, [])
        return [Answer(each) for each in rows]

    def find(self, stack_id: str) -> Json | None:
        return self._stacks.get(stack_id)

    def is_listed(self, stack_id: str) -> bool:
        return stack_id not in self.unlisted


def row(
    name: str, type_name: str = "OS::Nova::Server", **more: object
) -> Json:
    """Return a resource as the API shows it."""
    return {
        "resource_name": name,
        "resource_type": type_name,
        "resource_status": "CREATE_COMPLETE",
        "resource_status_reason": "state changed",
        "physical_resource_id": more.pop("id", f"id-of-{name}"),
        "attributes": {},
        **more,
    }


class TestCase(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.heat = Heat()

    def tell(self, stack_id: str = _ROOT) -> heat_reading.Told:
        reading = heat_reading.Reading(
            self.heat,
            self.heat.find,
            self.heat.is_listed,
            frozenset({_HIDDEN_TAG}),
        )
        found = reading.tell(stack_id)
        assert found is not None
        return found

    def read(self, stack_id: str = _ROOT) -> dict[str, document.Document]:
        """Return the documents by name; none of them has the secret."""
        told = self.tell(stack_id)
        self.assertNotIn(_CANARY, repr(told))
        return {each.name: each for each in told.documents}


class HiddenValueTest(TestCase):
    TEMPLATE = """
        heat_template_version: 2018-08-31
        parameters:
          word: {type: string, hidden: true}
          size: {type: string}
        resources:
          v:
            type: OS::Heat::Value
            properties: {value: {get_param: word}}
          web:
            type: OS::Nova::Server
            properties: {flavor: {get_param: size}, name: web-1}
          next:
            type: OS::Nova::Server
            properties: {name: {get_attr: [v, value]}, flavor: m1}
          far:
            type: OS::Nova::Server
            properties: {name: {get_attr: [next, name]}, flavor: m1}
        outputs:
          o: {value: {get_attr: [v, value]}}
          far: {value: {list_join: ["-", [{get_attr: [far, name]}]]}}
          fine: {value: {get_attr: [web, name]}}
    """

    def put(self, **more: object) -> None:
        secret = {"value": _CANARY, "name": f"x-{_CANARY}"}
        self.heat.put(
            _ROOT,
            self.TEMPLATE,
            row("v", "OS::Heat::Value", attributes=secret, id=_CANARY),
            row("web", attributes={"name": "web-1"}),
            row("next", attributes=secret),
            row(
                "far",
                attributes=secret,
                resource_status="CREATE_FAILED",
                resource_status_reason=f"BadRequest: resources.far: {_CANARY}",
            ),
            parameters={"word": "******", "size": "m2", "OS::stack_id": "x"},
            outputs=[
                {"output_key": "o", "output_value": _CANARY},
                {"output_key": "far", "output_value": f"<{_CANARY}>"},
                {"output_key": "fine", "output_value": "web-1"},
                {"output_key": "old", "output_value": _CANARY},
            ],
            **more,
        )

    def test_s3_what_was_made_of_it_is_left_out(self) -> None:
        self.put()

        found = self.read()

        stack = next(iter(found.values()))
        self.assertEqual(
            {"parameters.size": ("m2",), "outputs.fine": ("web-1",)},
            stack.fields,
        )
        self.assertEqual(
            {
                "properties.flavor": ("m2",),
                "properties.name": ("web-1",),
                "attributes.name": ("web-1",),
            },
            found["web"].fields,
        )
        self.assertEqual("id-of-web", found["web"].physical_id)
        self.assertEqual({"properties.flavor": ("m1",)}, found["far"].fields)
        self.assertEqual("", found["v"].physical_id)

    def test_s3_its_places_have_names(self) -> None:
        self.put()

        self.assertEqual(
            {
                "parameters.word",
                "outputs.o",
                "outputs.far",
                "resources.v.attributes",
                "resources.v.properties.value",
                "resources.next.attributes",
                "resources.next.properties.name",
                "resources.far.attributes",
                "resources.far.properties.name",
            },
            self.tell().covered,
        )

    def test_the_names_do_not_depend_on_ids(self) -> None:
        template = """
            parameters: {word: {type: string, hidden: true}}
            resources:
              web:
                type: OS::Nova::Server
                properties: {name: {get_param: word}, flavor: m1}
              disk:
                type: OS::Cinder::VolumeAttachment
                properties: {server: {get_resource: web}, size: 1}
        """
        names = set()
        for server_id in ("", _ROOT, "web"):
            rows = row("web", id=server_id), row("disk")
            self.heat.put(_ROOT, template, *rows)
            names.add(self.tell().covered)

        self.assertEqual(1, len(names))
        self.assertIn("resources.disk.properties.server", names.pop())

    def test_s3_reasons_that_may_quote_it_are_left_out(self) -> None:
        said = f"Resource CREATE failed: BadRequest: resources.far: {_CANARY}"
        self.put(
            stack_status="CREATE_FAILED",
            stack_status_reason=said,
            events=[
                {
                    "resource_name": "far",
                    "physical_resource_id": "id-of-far",
                    "resource_status_reason": _CANARY,
                },
                {
                    "resource_name": "stack-1111",
                    "physical_resource_id": _ROOT,
                    "resource_status_reason": said,
                },
                {
                    "resource_name": "web",
                    "physical_resource_id": "id-of-web",
                    "resource_status_reason": "No valid host",
                },
            ],
        )

        found = self.read()

        stack = found["stack-1111"]
        self.assertEqual("", stack.reason)
        self.assertEqual("No valid host", stack.texts["events"])
        self.assertEqual("", found["far"].reason)
        self.assertEqual("state changed", found["next"].reason)

    def test_reasons_of_others_stay(self) -> None:
        said = "Resource CREATE failed: NoHost: resources.web: No valid host"
        self.put(stack_status="CREATE_FAILED", stack_status_reason=said)

        self.assertEqual(said, self.read()["stack-1111"].reason)

    def test_s3_where_the_template_is_not_shown_no_value_is(self) -> None:
        self.heat.put(
            _ROOT,
            None,
            row("web", attributes={"name": _CANARY}),
            parameters={"word": _CANARY},
            outputs=[{"output_key": "o", "output_value": _CANARY}],
            stack_status_reason=f"Error: {_CANARY}",
        )

        found = self.read()

        self.assertEqual("COMPLETE", found["web"].status)
        self.assertEqual(document.UNTOLD, self.tell().covered)


class MadeUpTest(TestCase):
    """Secrets that services make up."""

    def test_s3_a_random_string_is_followed(self) -> None:
        self.heat.put(
            _ROOT,
            """
            resources:
              rs: {type: "OS::Heat::RandomString"}
              mine: {type: "My::Word"}
              a:
                type: OS::Nova::Server
                properties: {name: {get_resource: rs}, flavor: m1}
              b: {type: "OS::Nova::Server", properties: {name: b}}
            outputs:
              o: {value: {get_attr: [rs, value]}}
              mine: {value: {get_attr: [mine, value]}}
              a: {value: {get_attr: [a, name]}}
              kp: {value: {get_attr: [b, private_key]}}
            """,
            row(
                "rs",
                "OS::Heat::RandomString",
                attributes={"value": _CANARY},
            ),
            row("mine", "My::Word", attributes={"value": _CANARY}),
            row("a", attributes={"name": _CANARY}),
            row("b", attributes={"name": "b", "private_key": _CANARY}),
            outputs=[
                {"output_key": each, "output_value": _CANARY}
                for each in ("o", "mine", "a", "kp")
            ],
            registry={
                "My::Word": "Other::Word",
                "resources": {"x": {"Other::Word": "OS::Heat::RandomString"}},
            },
        )

        found = self.read()

        self.assertEqual({"properties.flavor": ("m1",)}, found["a"].fields)
        self.assertEqual(("b",), found["b"].fields["attributes.name"])

    def test_s3_addresses_that_are_proof_are_left_out(self) -> None:
        ours, heats = test_presigned.OURS, test_presigned.HEAT
        self.heat.put(
            _ROOT,
            f"""
            description: "call {ours} soon"
            resources:
              up:
                type: OS::Heat::ScalingPolicy
                properties: {{scaling_adjustment: 1}}
              web:
                type: OS::Nova::Server
                properties: {{name: "{heats}", flavor: m1}}
              handle:
                type: OS::Heat::WaitConditionHandle
            outputs:
              url: {{value: {{get_attr: [up, alarm_url]}}}}
              cli: {{value: {{get_attr: [handle, curl_cli]}}}}
            """,
            row(
                "up",
                "OS::Heat::ScalingPolicy",
                attributes={"alarm_url": heats, "signal_url": "http://h/up"},
                id=ours,
            ),
            row("web", attributes={"user": [f"curl '{ours}'"], "n": 1}),
            row(
                "handle",
                "OS::Heat::WaitConditionHandle",
                attributes={"curl_cli": f"X-Auth-Token: {_CANARY}"},
            ),
            description=f"call {ours} soon",
            stack_status_reason=f"Sent to {ours} again",
            outputs=[
                {"output_key": "url", "output_value": heats},
                {"output_key": "cli", "output_value": _CANARY},
            ],
        )

        found = self.read()

        self.assertNotIn("canary-sig", repr(found))
        stack = found["stack-1111"]
        self.assertEqual("call ****** soon", stack.description)
        self.assertEqual("Sent to ****** again", stack.reason)
        self.assertIn("call ****** soon", stack.texts["template"])
        self.assertEqual(
            ("http://h/up",), found["up"].fields["attributes.signal_url"]
        )
        self.assertEqual((1,), found["web"].fields["attributes.n"])


class InnerTest(TestCase):
    KID = "22222222-2222-4222-8222-222222222222"
    LOW = "33333333-3333-4333-8333-333333333333"
    OUTER = """
        parameters: {word: {type: string, hidden: true}}
        resources:
          kid:
            type: kid.yaml
            properties: {given: {get_param: word}, size: m1}
    """
    INNER = """
        parameters:
          given: {type: string}
          size: {type: string}
        resources:
          deep:
            type: OS::Nova::Server
            properties: {name: {get_param: given}, flavor: {get_param: size}}
        outputs:
          said: {value: {get_attr: [deep, name]}}
    """

    def put_outer(self, template: str = OUTER, **more: object) -> None:
        self.heat.put(
            _ROOT,
            template,
            row(
                "kid",
                "kid.yaml",
                inner=self.KID,
                attributes={"said": _CANARY},
            ),
            **more,
        )

    def put_kid(self, template: str = INNER, **more: object) -> None:
        self.heat.put(
            self.KID,
            template,
            row("deep", attributes={"name": _CANARY}),
            parent=_ROOT,
            outputs=[{"output_key": "said", "output_value": _CANARY}],
            **more,
        )

    def test_s3_an_inner_stack_was_given_what_is_hidden(self) -> None:
        self.put_outer()
        said = f"Resource CREATE failed: Bad: resources.deep: {_CANARY}"
        self.put_kid(
            parameters={"given": _CANARY, "size": "m1"},
            stack_status="CREATE_FAILED",
            stack_status_reason=said,
        )

        self.read()
        found = self.read(self.KID)

        self.assertEqual(
            {"parameters.size": ("m1",)}, found["stack-2222"].fields
        )
        self.assertEqual({"properties.flavor": ("m1",)}, found["deep"].fields)
        self.assertEqual("stack-1111/kid/deep", found["deep"].path)
        self.assertEqual(
            {
                "parameters.given",
                "outputs.said",
                "resources.deep.attributes",
                "resources.deep.properties.name",
            },
            self.tell(self.KID).covered,
        )

    def test_s3_in_a_group_it_may_be_anywhere(self) -> None:
        self.put_outer(
            """
            parameters: {word: {type: string, hidden: true}}
            resources:
              kid:
                type: OS::Heat::ResourceGroup
                properties:
                  count: 1
                  resource_def:
                    type: OS::Nova::Server
                    properties: {name: {get_param: word}}
            """
        )
        self.put_kid(
            f"""
            resources:
              deep:
                type: OS::Nova::Server
                properties: {{name: {_CANARY}}}
            """
        )

        self.read()
        found = self.read(self.KID)

        self.assertEqual({}, found["deep"].fields)
        self.assertEqual({}, found["stack-2222"].texts)
        self.assertEqual(document.UNTOLD, self.tell(self.KID).covered)

    def test_s3_what_it_hides_itself_comes_back(self) -> None:
        outer = "resources: {kid: {type: kid.yaml}, web: {type: T}}"
        self.put_outer(outer)
        self.heat.put(
            self.KID,
            "resources: {low: {type: low.yaml}}",
            row("low", "low.yaml", inner=self.LOW),
            parent=_ROOT,
        )
        self.heat.put(
            self.LOW,
            'resources: {rs: {type: "OS::Heat::RandomString"}}',
            row("rs", "OS::Heat::RandomString", attributes={"value": _CANARY}),
            parent=self.KID,
        )

        self.assertNotIn("attributes.said", self.read()["kid"].fields)
        self.read(self.LOW)

    def test_one_that_hides_nothing_is_shown(self) -> None:
        self.put_outer("resources: {kid: {type: kid.yaml}}")
        self.put_kid("resources: {deep: {type: OS::Nova::Server}}")

        (_, kid) = self.tell().documents

        self.assertEqual((_CANARY,), kid.fields["attributes.said"])

    def test_of_many_with_one_template_one_is_asked(self) -> None:
        members = [f"{n:08d}-0000-4000-8000-000000000000" for n in range(30)]
        self.heat.put(
            _ROOT,
            "resources: {group: {type: OS::Heat::ResourceGroup}}",
            row("group", "OS::Heat::ResourceGroup", inner=self.KID),
        )
        self.heat.put(
            self.KID,
            "resources: {}",
            *(
                row(str(number), "member.yaml", inner=each)
                for number, each in enumerate(members)
            ),
            parent=_ROOT,
        )
        for each in members:
            self.heat.put(each, "resources: {}", parent=self.KID)

        self.read()

        templates = [each for call, each in self.heat.calls if call != "get"]
        self.assertLessEqual(len(set(templates)), 3)
        self.assertLessEqual(len(templates), 8)

    def test_s3_one_whose_outer_stack_is_not_shown_shows_nothing(self) -> None:
        self.put_kid(parameters={"given": _CANARY})

        found = self.read(self.KID)

        self.assertEqual({}, found["deep"].fields)
        self.assertEqual(document.UNTOLD, self.tell(self.KID).covered)


class HiddenStackTest(TestCase):
    """Stacks that only administrators find."""

    KID = InnerTest.KID

    def put(self, **more: object) -> None:
        self.heat.put(
            _ROOT,
            "resources: {kid: {type: kid.yaml}}",
            row("kid", "kid.yaml", inner=self.KID),
            **more,
        )
        self.heat.put(
            self.KID,
            "resources: {deep: {type: OS::Nova::Server}}",
            row("deep"),
            parent=_ROOT,
        )

    def are_hidden(self) -> set[bool]:
        return {
            each.is_hidden
            for stack_id in (_ROOT, self.KID)
            for each in self.tell(stack_id).documents
        }

    def test_s4_a_tag_hides_the_tree(self) -> None:
        self.put(tags=["blue", _HIDDEN_TAG])

        self.assertEqual({True}, self.are_hidden())
        self.assertIn("stack", self.tell().covered)
        self.assertIn("stack", self.tell(self.KID).covered)

    def test_s4_what_the_list_leaves_out_is_hidden(self) -> None:
        self.put(tags=["another-tag"])
        self.heat.unlisted.add(_ROOT)

        self.assertEqual({True}, self.are_hidden())

    def test_others_are_found_by_all(self) -> None:
        self.put(tags=["blue"])

        self.assertEqual({False}, self.are_hidden())
        self.assertNotIn("stack", self.tell().covered)

    def test_s4_where_nobody_may_list_it_may_be_hidden(self) -> None:
        self.put(tags=["blue"])

        def refuse(stack_id: str) -> bool:
            raise heat_reading.Untold(stack_id)

        self.useFixture(
            fixtures.MonkeyPatch(
                f"{__name__}.Heat.is_listed", lambda _, each: refuse(each)
            )
        )

        self.assertEqual({True}, self.are_hidden())
