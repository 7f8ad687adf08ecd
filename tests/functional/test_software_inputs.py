"""Values of inputs have the type that a config declares."""

from tests.functional import deploying

_INPUTS = [
    {"name": "greeting", "default": "hello"},
    {"name": "count", "type": "Number"},
    {"name": "facts", "type": "Json", "default": '{"a": [1]}'},
    {"name": "is_on", "type": "Boolean"},
    {"name": "names", "type": "CommaDelimitedList"},
]


class InputTests(deploying.StacksTestCase):
    def begin_with(self, **values: object) -> None:
        config = deploying.config(inputs=_INPUTS)
        self.begin(deploying.template(config, input_values=values))

    def test_the_server_finds_values_of_the_declared_types(self) -> None:
        self.begin_with(greeting=5, count="3", is_on="yes", names="a, b")

        found = self.agent.inputs(self.agent.fetch())

        self.assertEqual(
            ("5", 3, {"a": [1]}, True, ["a", "b"]),
            tuple(found[str(one["name"])] for one in _INPUTS),
        )

    def test_what_is_none_of_its_type_fails_the_deployment(self) -> None:
        self.begin_with(count="s3cret", is_on=True, names=[])

        shown = self.wait("CREATE_FAILED")

        reason = str(shown["stack_status_reason"])
        self.assertIn("input count is no Number", reason)
        self.assertNotIn("s3cret", reason)
        self.assertEqual([], self.agent.deployments())

    def test_the_same_value_in_another_form_is_no_new_deployment(self) -> None:
        inputs = [{"name": "n", "type": "Number", "replace_on_change": True}]
        config = deploying.config(inputs=inputs)
        given = {"signal_transport": "NO_SIGNAL"}
        self.begin(
            deploying.template(config, input_values={"n": "7"}, **given)
        )
        self.wait("CREATE_COMPLETE")
        before = self.physical_id()

        for value, is_same in ((7, True), (8, False)):
            wanted = deploying.template(
                config, input_values={"n": value}, **given
            )
            self.client.ask("PUT", self.stack.path, {"template": wanted})
            self.wait("UPDATE_COMPLETE")
            self.assertEqual(is_same, before == self.physical_id(), value)
