"""Answers as Heat gives them: ``******`` for hidden parameters, no more.

What a resource or a stack in a stack was given, the rest of the API shows in
plain.
"""

from orch.search import document
from orch_search_heat.tests.unit import heats
from tests.unit.model import test_presigned


class HiddenValueTest(heats.TestCase):
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
        secret = {"value": heats.CANARY, "name": f"x-{heats.CANARY}"}
        self.heat.put(
            heats.ROOT,
            self.TEMPLATE,
            heats.row(
                "v", "OS::Heat::Value", attributes=secret, id=heats.CANARY
            ),
            heats.row("web", attributes={"name": "web-1"}),
            heats.row("next", attributes=secret),
            heats.row(
                "far",
                attributes=secret,
                resource_status="CREATE_FAILED",
                resource_status_reason=(
                    f"BadRequest: resources.far: {heats.CANARY}"
                ),
            ),
            parameters={"word": "******", "size": "m2", "OS::stack_id": "x"},
            outputs=[
                {"output_key": "o", "output_value": heats.CANARY},
                {"output_key": "far", "output_value": f"<{heats.CANARY}>"},
                {"output_key": "fine", "output_value": "web-1"},
                {"output_key": "old", "output_value": heats.CANARY},
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
            self.read_tree().redacted,
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
        for server_id in ("", heats.ROOT, "web"):
            rows = heats.row("web", id=server_id), heats.row("disk")
            self.heat.put(heats.ROOT, template, *rows)
            names.add(self.read_tree().redacted)

        self.assertEqual(1, len(names))
        self.assertIn("resources.disk.properties.server", names.pop())

    def test_s3_reasons_that_may_quote_it_are_left_out(self) -> None:
        said = (
            "Resource CREATE failed: BadRequest: resources.far:"
            f" {heats.CANARY}"
        )
        self.put(
            stack_status="CREATE_FAILED",
            stack_status_reason=said,
            events=[
                {
                    "resource_name": "far",
                    "physical_resource_id": "id-of-far",
                    "resource_status_reason": heats.CANARY,
                },
                {
                    "resource_name": "stack-1111",
                    "physical_resource_id": heats.ROOT,
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

    def test_what_stands_for_no_description_is_none(self) -> None:
        self.put(description="No description")
        self.assertEqual(
            "", self.read()[f"stack-{heats.ROOT[:4]}"].description
        )

        self.put(description="No description of mine")
        said = self.read()[f"stack-{heats.ROOT[:4]}"].description
        self.assertEqual("No description of mine", said)

    def test_reasons_of_others_stay(self) -> None:
        said = "Resource CREATE failed: NoHost: resources.web: No valid host"
        self.put(stack_status="CREATE_FAILED", stack_status_reason=said)

        self.assertEqual(said, self.read()["stack-1111"].reason)

    def test_s3_where_the_template_is_not_shown_no_value_is(self) -> None:
        self.heat.put(
            heats.ROOT,
            None,
            heats.row("web", attributes={"name": heats.CANARY}),
            parameters={"word": heats.CANARY},
            outputs=[{"output_key": "o", "output_value": heats.CANARY}],
            stack_status_reason=f"Error: {heats.CANARY}",
        )

        found = self.read()

        self.assertEqual("COMPLETE", found["web"].status)
        self.assertEqual(document.UNKNOWN_REDACTION, self.read_tree().redacted)


class GeneratedTest(heats.TestCase):
    """Secrets that services make up."""

    def test_s3_a_random_string_is_followed(self) -> None:
        self.heat.put(
            heats.ROOT,
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
            heats.row(
                "rs",
                "OS::Heat::RandomString",
                attributes={"value": heats.CANARY},
            ),
            heats.row("mine", "My::Word", attributes={"value": heats.CANARY}),
            heats.row("a", attributes={"name": heats.CANARY}),
            heats.row(
                "b", attributes={"name": "b", "private_key": heats.CANARY}
            ),
            outputs=[
                {"output_key": each, "output_value": heats.CANARY}
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
        ours, theirs = test_presigned.OURS, test_presigned.HEAT
        self.heat.put(
            heats.ROOT,
            f"""
            description: "call {ours} soon"
            resources:
              up:
                type: OS::Heat::ScalingPolicy
                properties: {{scaling_adjustment: 1}}
              web:
                type: OS::Nova::Server
                properties: {{name: "{theirs}", flavor: m1}}
              handle:
                type: OS::Heat::WaitConditionHandle
            outputs:
              url: {{value: {{get_attr: [up, alarm_url]}}}}
              cli: {{value: {{get_attr: [handle, curl_cli]}}}}
            """,
            heats.row(
                "up",
                "OS::Heat::ScalingPolicy",
                attributes={"alarm_url": theirs, "signal_url": "http://h/up"},
                id=ours,
            ),
            heats.row("web", attributes={"user": [f"curl '{ours}'"], "n": 1}),
            heats.row(
                "handle",
                "OS::Heat::WaitConditionHandle",
                attributes={"curl_cli": f"X-Auth-Token: {heats.CANARY}"},
            ),
            description=f"call {ours} soon",
            stack_status_reason=f"Sent to {ours} again",
            outputs=[
                {"output_key": "url", "output_value": theirs},
                {"output_key": "cli", "output_value": heats.CANARY},
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
