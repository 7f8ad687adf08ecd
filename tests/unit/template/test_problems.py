"""What is wrong, collected and told."""

import yaml

from orch import errors as base_errors
from orch.template import errors
from orch.template import problems
from orch.template import world
from orch.template.text import document
from orch.template.text import yaml_reader
from tests import base


def a_document(text: str, file: str = "") -> document.Document:
    value = {"a": {"b": [1, {"get_parm": "x"}]}}
    return document.Document(value, text, file)


TEXT = "a:\n  b:\n    - 1\n    - {get_parm: x}\n"


class ReportTest(base.TestCase):
    def test_a_fault_is_told_in_the_document_it_stands_in(self) -> None:
        report = problems.Report(a_document(TEXT))
        report.add(problems.Fault(("a", "b", 0), "one"))
        report.add(
            problems.Fault(
                ("a", "b"), "two", document=a_document("\n" + TEXT, "e.yaml")
            )
        )

        found = report.error().problems

        self.assertEqual(
            [
                base_errors.Problem("one", "a.b[0]", "", "", 3, 7),
                base_errors.Problem("two", "a.b", "", "e.yaml", 3, 3),
            ],
            list(found),
        )

    def test_faults_keep_their_document_in_another_report(self) -> None:
        inner = problems.Report(a_document(TEXT, "kid.yaml"))
        inner.add(problems.Fault(("a",), "one"))
        outer = problems.Report(a_document("\n\n" + TEXT))

        outer.extend(inner.faults)

        (found,) = outer.error().problems
        self.assertEqual(("kid.yaml", 1), (found.file, found.line))

    def test_the_first_fault_gives_type_and_text(self) -> None:
        report = problems.Report(a_document(TEXT))
        report.add(
            problems.Fault(
                ("a",),
                "it is wrong",
                advice="Mend it.",
                document=a_document(TEXT, "e.yaml"),
            )
        )
        report.add(problems.Fault((), "too", errors.Circular))

        error = report.error()

        self.assertIs(errors.TemplateInvalid, type(error))
        self.assertEqual(
            "e.yaml: a: : it is wrong Mend it. (and 1 more problems)",
            error.message,
        )
        self.assertIs(
            errors.ValidationFailed,
            type(report.error(errors.ValidationFailed)),
        )

    def test_a_value_that_looks_like_a_function_gets_advice(self) -> None:
        def advise(key: str) -> str:
            return f"Is {key} a function?"

        report = problems.Report(a_document(TEXT), advise)
        for path in (("a", "b", 1), ("a", "b"), ("a", "b", 7), ("z",), ()):
            report.add(problems.Fault(path, "it is no text"))
        report.add(problems.Fault(("a", "b", 1), "wrong", advice="Stop."))

        self.assertEqual(
            [
                "Is get_parm a function?",
                "",
                "",
                "",
                "Is a a function?",
                "Stop.",
            ],
            [one.advice for one in report.error().problems],
        )

    def test_nothing_found_is_no_error(self) -> None:
        problems.Report().check()


class FaultOfTest(base.TestCase):
    def test_the_advice_of_an_error_is_kept(self) -> None:
        for kind in (errors.FunctionFailed, errors.TemplateInvalid):
            fault = problems.fault_of(kind("wrong", advice="Mend it."), ("a",))

            self.assertEqual(
                (("a",), "wrong", "Mend it.", errors.TemplateInvalid),
                (fault.path, fault.message, fault.advice, fault.kind),
            )

    def test_the_place_that_an_error_knows_is_kept(self) -> None:
        error = errors.FormatInvalid(
            "wrong", [base_errors.Problem("wrong", line=3, column=4)]
        )

        fault = problems.fault_of(error, ("a",))

        self.assertEqual(document.Place(3, 4), fault.place)

    def test_other_errors_become_faults_of_the_part(self) -> None:
        for error, message in (
            (world.NotYetKnown("later"), "later"),
            (KeyError("nope"), "nope"),
            (ValueError(), "ValueError"),
        ):
            fault = problems.fault_of(error, ("a",))

            self.assertEqual(message, fault.message)
            self.assertIs(errors.TemplateInvalid, fault.kind)


class SuggestTest(base.TestCase):
    def advice(self, name: str, *known: str, otherwise: str = "") -> str:
        advice = problems.suggest_name(name, known, otherwise)
        assert callable(advice)
        return advice()

    def test_the_nearest_name_is_suggested(self) -> None:
        self.assertEqual(
            "Did you mean web?", self.advice("wep", "db", "web", "weather")
        )

    def test_nothing_near_gives_the_other_advice(self) -> None:
        for name in ("zzz", "w" * 200):
            self.assertEqual("", self.advice(name, "web"))
            self.assertEqual(
                "Ask.", self.advice(name, "web", otherwise="Ask.")
            )


class DocumentTest(base.TestCase):
    def test_parts_are_found_by_their_path(self) -> None:
        found = a_document(TEXT)

        self.assertEqual(1, found.find(("a", "b", 0)))
        self.assertIs(found.root, found.find(()))
        for path in (("z",), ("a", 0), ("a", "b", 2), ("a", "b", "x")):
            self.assertIsNone(found.find(path))

    def test_json_has_lines_too(self) -> None:
        text = '{\n  "a": {\n    "b": []}}'

        self.assertIsInstance(
            yaml_reader.compose_nodes(text), yaml.MappingNode
        )
        self.assertEqual(
            document.Place(3, 5), a_document(text).locate(("a", "b"))
        )

    def test_an_object_has_no_places(self) -> None:
        self.assertEqual(document.NOWHERE, a_document("").locate(("a", "b")))
