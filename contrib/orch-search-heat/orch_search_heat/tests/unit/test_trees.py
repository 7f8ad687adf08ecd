"""What one stack says of another: of hidden values, and of hidden stacks."""

from orch.search import document
from orch_search_heat import reader
from orch_search_heat.tests.unit import heats


class ChildTest(heats.TestCase):
    KID = "22222222-2222-4222-8222-222222222222"
    LOW = "33333333-3333-4333-8333-333333333333"
    PARENT = """
        parameters: {word: {type: string, hidden: true}}
        resources:
          kid:
            type: kid.yaml
            properties: {given: {get_param: word}, size: m1}
    """
    CHILD = """
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

    def put_parent(self, template: str = PARENT, **more: object) -> None:
        self.heat.put(
            heats.ROOT,
            template,
            heats.row(
                "kid",
                "kid.yaml",
                inner=self.KID,
                attributes={"said": heats.CANARY},
            ),
            **more,
        )

    def put_kid(self, template: str = CHILD, **more: object) -> None:
        self.heat.put(
            self.KID,
            template,
            heats.row("deep", attributes={"name": heats.CANARY}),
            parent=heats.ROOT,
            outputs=[{"output_key": "said", "output_value": heats.CANARY}],
            **more,
        )

    def test_s3_an_inner_stack_was_given_what_is_hidden(self) -> None:
        self.put_parent()
        said = f"Resource CREATE failed: Bad: resources.deep: {heats.CANARY}"
        self.put_kid(
            parameters={"given": heats.CANARY, "size": "m1"},
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
            self.read_tree(self.KID).redacted,
        )

    def test_s3_in_a_group_it_may_be_anywhere(self) -> None:
        self.put_parent(
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
                properties: {{name: {heats.CANARY}}}
            """
        )

        self.read()
        found = self.read(self.KID)

        self.assertEqual({}, found["deep"].fields)
        self.assertEqual({}, found["stack-2222"].texts)
        self.assertEqual(
            document.UNKNOWN_REDACTION, self.read_tree(self.KID).redacted
        )

    def test_s3_what_it_hides_itself_comes_back(self) -> None:
        outer = "resources: {kid: {type: kid.yaml}, web: {type: T}}"
        self.put_parent(outer)
        self.heat.put(
            self.KID,
            "resources: {low: {type: low.yaml}}",
            heats.row("low", "low.yaml", inner=self.LOW),
            parent=heats.ROOT,
        )
        self.heat.put(
            self.LOW,
            'resources: {rs: {type: "OS::Heat::RandomString"}}',
            heats.row(
                "rs",
                "OS::Heat::RandomString",
                attributes={"value": heats.CANARY},
            ),
            parent=self.KID,
        )

        self.assertNotIn("attributes.said", self.read()["kid"].fields)
        self.read(self.LOW)

    def test_one_that_hides_nothing_is_shown(self) -> None:
        self.put_parent("resources: {kid: {type: kid.yaml}}")
        self.put_kid("resources: {deep: {type: OS::Nova::Server}}")

        (_, kid) = self.read_tree().documents

        self.assertEqual((heats.CANARY,), kid.fields["attributes.said"])

    def test_of_many_with_one_template_one_is_asked(self) -> None:
        members = [f"{n:08d}-0000-4000-8000-000000000000" for n in range(30)]
        self.heat.put(
            heats.ROOT,
            "resources: {group: {type: OS::Heat::ResourceGroup}}",
            heats.row("group", "OS::Heat::ResourceGroup", inner=self.KID),
        )
        self.heat.put(
            self.KID,
            "resources: {}",
            *(
                heats.row(str(number), "member.yaml", inner=each)
                for number, each in enumerate(members)
            ),
            parent=heats.ROOT,
        )
        for each in members:
            self.heat.put(each, "resources: {}", parent=self.KID)

        self.read()

        templates = [each for call, each in self.heat.calls if call != "get"]
        self.assertLessEqual(len(set(templates)), 3)
        self.assertLessEqual(len(templates), 8)

    def test_s3_one_whose_outer_stack_is_not_shown_shows_nothing(self) -> None:
        self.put_kid(parameters={"given": heats.CANARY})

        found = self.read(self.KID)

        self.assertEqual({}, found["deep"].fields)
        self.assertEqual(
            document.UNKNOWN_REDACTION, self.read_tree(self.KID).redacted
        )


class HiddenStackTest(heats.TestCase):
    """Stacks that only administrators find."""

    KID = ChildTest.KID

    def put(self, **more: object) -> None:
        self.heat.put(
            heats.ROOT,
            "resources: {kid: {type: kid.yaml}}",
            heats.row("kid", "kid.yaml", inner=self.KID),
            **more,
        )
        self.heat.put(
            self.KID,
            "resources: {deep: {type: OS::Nova::Server}}",
            heats.row("deep"),
            parent=heats.ROOT,
        )

    def are_hidden(self) -> set[bool]:
        return {
            each.is_hidden
            for stack_id in (heats.ROOT, self.KID)
            for each in self.read_tree(stack_id).documents
        }

    def test_s4_a_tag_hides_the_tree(self) -> None:
        self.put(tags=["blue", heats.HIDDEN_TAG])

        self.assertEqual({True}, self.are_hidden())
        self.assertIn("stack", self.read_tree().redacted)
        self.assertIn("stack", self.read_tree(self.KID).redacted)

    def test_s4_what_the_list_leaves_out_is_hidden(self) -> None:
        self.put(tags=["another-tag"])
        self.heat.hidden_stacks.add(heats.ROOT)

        self.assertEqual({True}, self.are_hidden())

    def test_others_are_found_by_all(self) -> None:
        self.put(tags=["blue"])

        self.assertEqual({False}, self.are_hidden())
        self.assertNotIn("stack", self.read_tree().redacted)

    def test_s4_where_nobody_may_list_it_may_be_hidden(self) -> None:
        self.put(tags=["blue"])

        def refuse(stack_id: str) -> bool:
            raise reader.Untold(stack_id)

        self.heat.is_listed = refuse

        self.assertEqual({True}, self.are_hidden())
