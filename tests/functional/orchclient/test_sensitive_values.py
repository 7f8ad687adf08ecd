"""What the commands show of sensitive values, and for whom."""

import typing

from tests.functional.orchclient import commanding

_SECRET: typing.Final = "canary-hidden-5f1c"
_TEMPLATE: typing.Final = """
heat_template_version: 2021-04-16
parameters:
  word: {type: string, hidden: true}
  label: {type: string, default: plain}
resources:
  a:
    type: Test::World::Thing
    properties: {value: {get_param: word}, label: {get_param: label}}
outputs:
  label: {value: {get_param: label}}
  word: {value: {get_attr: [a, value]}}
  map: {value: {in: [{get_param: word}]}}
"""
_FILE: typing.Final = """
heat_template_version: 2021-04-16
parameters:
  word: {type: string, hidden: true}
resources:
  page:
    type: Orch::Local::File
    properties: {path: PLACE/page, content: {get_param: word}}
"""
_VALUES: typing.Final = {
    "label": "plain",
    "word": _SECRET,
    "map": {"in": [_SECRET]},
}


class OrchTests(commanding.CommandTestCase):
    """``orch …``."""

    def up(self, *words: str) -> commanding.Ended:
        return self.succeed(
            *("up", self.template(_TEMPLATE), "--name", self.name),
            *("-P", f"word={_SECRET}", *words),
        )

    def test_the_end_of_an_operation_shows_no_secret(self) -> None:
        ended = self.up()

        self.assertEqual(
            ["label = plain", "word = (sensitive)", "map = (sensitive)"],
            ended.out.splitlines()[-3:],
        )
        ended = self.succeed(
            *("stack", "update", self.name, "--existing"),
            *("-P", "label=new", "-f", "json"),
        )
        self.assertEqual(
            {"label": "new", "word": None, "map": None},
            ended.documents[-1]["outputs"],
        )
        self.assertEqual(["word", "map"], ended.documents[-1]["sensitive"])

    def test_it_shows_secrets_on_request(self) -> None:
        ended = self.up("--show-secrets")

        self.assertEqual(
            [
                "label = plain",
                f"word = {_SECRET}",
                f'map = {{"in": ["{_SECRET}"]}}',
            ],
            ended.out.splitlines()[-3:],
        )
        ended = self.succeed(
            *("stack", "check", self.name, "--show-secrets", "-f", "json")
        )
        self.assertEqual(_VALUES, ended.documents[-1]["outputs"])

    def test_a_table_shows_no_secret(self) -> None:
        self.up()
        for words in (
            ("stack", "output", "list", self.name),
            ("stack", "show", self.name, "-c", "outputs"),
        ):
            hidden = self.succeed(*words).out
            shown = self.succeed(*words, "--show-secrets").out

            self.assertEqual(2, hidden.count("(sensitive)"), hidden)
            self.assertNotIn(_SECRET, hidden)
            self.assertEqual(2, shown.count(_SECRET), shown)
            self.assertNotIn("(sensitive)", shown)
            self.assertIn("plain", hidden)

    def test_programs_get_plain_values(self) -> None:
        self.up()

        rows = self.succeed(
            *("stack", "output", "list", self.name, "-f", "json")
        ).document
        shown = self.succeed("stack", "show", self.name, "-f", "json").document
        one = self.succeed("stack", "output", "show", self.name, "word")

        self.assertEqual(
            _VALUES, {each["Key"]: each["Value"] for each in rows}
        )
        self.assertEqual(_VALUES, shown["outputs"])
        self.assertEqual(f"{_SECRET}\n", one.out)

    def test_a_plan_shows_no_secret(self) -> None:
        self.up()

        ended = self.succeed(
            *("plan", self.template(_TEMPLATE), "--name", self.name),
            *("-P", "word=canary-later-77ab"),
        )

        self.assertIn("value: (sensitive) -> (sensitive)", ended.out)
        self.assertNotIn("canary", ended.out)

    def test_drift_shows_no_secret(self) -> None:
        text = _FILE.replace("PLACE", self.name)
        self.succeed(
            *("up", self.template(text), "--name", self.name),
            *("-P", f"word={_SECRET}"),
        )
        (self.system.root / self.name / "page").write_text("other")

        ended = self.run_command("drift", self.name, "--refresh")

        self.assertEqual(13, ended.code, ended)
        self.assertIn("- (sensitive)", ended.out)
        self.assertNotIn(_SECRET, ended.out)


class OpenStackTests(OrchTests):
    """``openstack orch …``."""

    form = "openstack orch"
