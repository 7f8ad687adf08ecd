import json
import pathlib

from orchclient import errors
from orchclient import file_loader
from orchclient import packaging
from tests import base

_VERSION = "heat_template_version: 2021-04-16\n"


class Web(file_loader.Loader):
    """Has pages in memory instead of the web; files are read."""

    def __init__(self, **pages: str) -> None:
        super().__init__()
        self._pages = {f"https://web.test/{k}": v for k, v in pages.items()}

    def add(self, url: str, text: str) -> None:
        self._pages[url] = text

    def read(self, place: str) -> bytes:
        if not file_loader.is_web(place):
            return super().read(place)
        return self._pages[place].encode()


class PackagingTestCase(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.directory = self.make_directory()

    def write(self, name: str, text: str | bytes) -> pathlib.Path:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode() if isinstance(text, str) else text
        path.write_bytes(data)
        return path

    def refused(self, template: pathlib.Path | str) -> errors.PackagingError:
        error = self.assertRaises(
            errors.PackagingError, packaging.collect_package, template
        )
        assert isinstance(error, errors.PackagingError)
        return error


class CollectTests(PackagingTestCase):
    def test_a_template_that_includes_nothing_is_sent_as_it_is(self) -> None:
        text = f"{_VERSION}# why\nresources: {{}}\n"

        found = packaging.collect_package(self.write("t.yaml", text))

        self.assertEqual(text, found.template)
        self.assertEqual({"template": text, "files": {}}, found.body())

    def test_files_bear_names_relative_to_the_template(self) -> None:
        text = f"""{_VERSION}resources:
  a: {{type: A, properties: {{x: {{get_file: data/x.sh}}}}}}
  b:
    type: B
    properties:
      list: [{{get_file: ../shared/y.sh}}]
"""
        template = self.write("t/t.yaml", text)
        self.write("t/data/x.sh", "x")
        self.write("shared/y.sh", "y")

        found = packaging.collect_package(template)

        self.assertEqual(
            {"data/x.sh": "x", "../shared/y.sh": "y"}, found.files
        )
        self.assertEqual(text, found.template)

    def test_the_same_files_elsewhere_are_the_same_package(self) -> None:
        bodies = []
        for place in ("here", "there/below"):
            text = f"{_VERSION}resources: {{a: {{type: in/web.yaml}}}}\n"
            template = self.write(f"{place}/t.yaml", text)
            self.write(
                f"{place}/in/web.yaml",
                f"{_VERSION}x: {{get_file: {self.directory}/{place}/z}}\n",
            )
            self.write(f"{place}/z", "z")
            bodies.append(packaging.collect_package(template).body())

        self.assertEqual(bodies[0], bodies[1])

    def test_an_inner_template_names_files_as_the_outer_one(self) -> None:
        template = self.write(
            "t.yaml", f"{_VERSION}resources: {{a: {{type: in/web.yaml}}}}\n"
        )
        self.write(
            "in/web.yaml",
            f"""{_VERSION}# A comment stays, and so does its line.
resources:
  b:
    type: 'deep/er.template'   # quoted
    properties: {{x: {{get_file: x.sh}}, y: {{get_file: >-
        y.sh
      }}}}
""".replace("{get_file: >-\n        y.sh\n      }", "{get_file: 'y.sh'}"),
        )
        self.write("in/x.sh", "x")
        self.write("in/y.sh", "y")
        self.write(
            "in/deep/er.template", f"{_VERSION}u: {{get_file: ../x.sh}}\n"
        )

        found = packaging.collect_package(template)

        self.assertEqual(
            {"in/web.yaml", "in/x.sh", "in/y.sh", "in/deep/er.template"},
            set(found.files),
        )
        self.assertEqual(
            f"""{_VERSION}# A comment stays, and so does its line.
resources:
  b:
    type: "in/deep/er.template"   # quoted
    properties: {{x: {{get_file: "in/x.sh"}}, y: {{get_file: "in/y.sh"}}}}
""",
            found.files["in/web.yaml"],
        )
        self.assertEqual(
            f'{_VERSION}u: {{get_file: "in/x.sh"}}\n',
            found.files["in/deep/er.template"],
        )
        self.assertEqual(str(template), found.places[""])
        self.assertEqual(
            str(self.directory / "in/web.yaml"), found.places["in/web.yaml"]
        )

    def test_a_name_over_several_lines_keeps_the_lines_below(self) -> None:
        template = self.write(
            "t.yaml", f"{_VERSION}resources: {{a: {{type: in/w.yaml}}}}\n"
        )
        text = f"{_VERSION}x:\n  get_file: >-\n    y.sh\nlast: 1\n"
        self.write("in/w.yaml", text)
        self.write("in/y.sh", "y")

        inner = packaging.collect_package(template).files["in/w.yaml"]

        self.assertEqual(
            text.splitlines().index("last: 1"),
            inner.splitlines().index("last: 1"),
        )
        self.assertIn('get_file: "in/y.sh"', inner)

    def test_anchors_are_renamed_once(self) -> None:
        template = self.write(
            "t.yaml", f"{_VERSION}resources: {{a: {{type: in/w.yaml}}}}\n"
        )
        self.write(
            "in/w.yaml",
            f"{_VERSION}x: {{get_file: &f y.sh}}\nz: {{get_file: *f}}\n",
        )
        self.write("in/y.sh", "y")

        inner = packaging.collect_package(template).files["in/w.yaml"]

        self.assertEqual(
            f'{_VERSION}x: {{get_file: &f "in/y.sh"}}\nz: {{get_file: *f}}\n',
            inner,
        )

    def test_templates_that_include_each_other_are_read_once(self) -> None:
        template = self.write(
            "t.yaml", f"{_VERSION}resources: {{a: {{type: u.yaml}}}}\n"
        )
        self.write("u.yaml", f"{_VERSION}resources: {{a: {{type: t.yaml}}}}\n")

        found = packaging.collect_package(template)

        self.assertEqual({"u.yaml", "t.yaml"}, set(found.files))

    def test_types_of_the_service_are_left_alone(self) -> None:
        text = f"""{_VERSION}parameters:
  p: {{type: string}}
resources:
  a: {{type: OS::Nova::Server}}
  b: {{type: OS::Heat::Value, properties: {{value: {{get_file: [x]}}}}}}
"""
        found = packaging.collect_package(self.write("t.yaml", text))

        self.assertEqual({}, found.files)

    def test_a_template_in_a_file_brings_what_it_includes(self) -> None:
        template = self.write(
            "t.yaml", f"{_VERSION}x: {{get_file: in/child.txt}}\n"
        )
        self.write("in/child.txt", f"{_VERSION}x: {{get_file: y}}\n")
        self.write("in/y", "y")

        found = packaging.collect_package(template)

        self.assertEqual({"in/child.txt", "in/y"}, set(found.files))

    def test_binary_content_is_sent_in_base64(self) -> None:
        template = self.write("t.yaml", f"{_VERSION}x: {{get_file: x.bin}}\n")
        self.write("x.bin", b"\xff\x00")

        found = packaging.collect_package(template)

        self.assertEqual("/wA=", found.files["x.bin"])

    def test_a_template_in_json_may_include_too(self) -> None:
        text = json.dumps(
            {
                "AWSTemplateFormatVersion": "2010-09-09",
                "Resources": {"a": {"Type": "w.template"}},
            }
        )
        self.write("w.template", f"{_VERSION}resources: {{}}\n")

        found = packaging.collect_package(self.write("t.json", text))

        self.assertEqual({"w.template"}, set(found.files))


class EnvironmentTests(PackagingTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.template = self.write("t.yaml", f"{_VERSION}resources: {{}}\n")

    def test_environments_are_files_in_the_order_given(self) -> None:
        first = self.write("envs/first.yaml", "parameters: {a: 1}\n")
        second = self.write("envs/second.yaml", "parameters: {a: 2}\n")

        found = packaging.collect_package(self.template, [first, second])

        self.assertEqual(
            ["envs/first.yaml", "envs/second.yaml"],
            found.body()["environment_files"],
        )
        self.assertEqual(
            "parameters: {a: 1}\n", found.files["envs/first.yaml"]
        )

    def test_the_registry_brings_templates_of_types(self) -> None:
        environment = self.write(
            "envs/e.yaml",
            """resource_registry:
  My::Web: ../types/web.yaml
  OS::Network*: OS::Neutron*
  resources:
    "*_db":
      hooks: pre-create
      My::Web: special.yaml
""",
        )
        self.write("types/web.yaml", f"{_VERSION}x: {{get_file: w.sh}}\n")
        self.write("types/w.sh", "w")
        self.write("envs/special.yaml", _VERSION)

        found = packaging.collect_package(self.template, [environment])

        self.assertEqual(
            {
                "envs/e.yaml",
                "types/web.yaml",
                "types/w.sh",
                "envs/special.yaml",
            },
            set(found.files),
        )
        self.assertEqual(
            """resource_registry:
  My::Web: "types/web.yaml"
  OS::Network*: OS::Neutron*
  resources:
    "*_db":
      hooks: pre-create
      My::Web: "envs/special.yaml"
""",
            found.files["envs/e.yaml"],
        )

    def test_a_registry_may_say_what_names_are_relative_to(self) -> None:
        environment = self.write(
            "e.yaml",
            "resource_registry:\n  base_url: types\n  My::Web: web.yaml\n",
        )
        self.write("types/web.yaml", _VERSION)

        found = packaging.collect_package(self.template, [environment])

        self.assertIn("types/web.yaml", found.files)
        self.assertIn('My::Web: "types/web.yaml"', found.files["e.yaml"])

    def test_values_of_a_request_count_more_than_environments(self) -> None:
        environment = self.write("e.yaml", "parameters: {a: 1}\n")
        found = packaging.collect_package(self.template, [environment])

        body = found.with_parameters({"a": 2}).body()

        *_, last = body["environment_files"]  # type: ignore[misc]
        self.assertEqual(
            {"parameters": {"a": 2}},
            json.loads(body["files"][last]),  # type: ignore[index]
        )


class WebTests(PackagingTestCase):
    def test_what_comes_from_the_web_bears_its_url(self) -> None:
        web = Web()
        web.add(
            "https://web.test/t/t.yaml",
            f"{_VERSION}resources: {{a: {{type: in/web.yaml}}}}\n",
        )
        web.add(
            "https://web.test/t/in/web.yaml",
            f"{_VERSION}x: {{get_file: ../x.sh}}\n",
        )
        web.add("https://web.test/t/x.sh", "x")

        found = packaging.collect_package(
            "https://web.test/t/t.yaml", loader=web
        )

        self.assertEqual(
            f'{_VERSION}resources: {{a: {{type: "https://web.test/t/in/web.yaml"}}}}\n',
            found.template,
        )
        self.assertEqual("x", found.files["https://web.test/t/x.sh"])

    def test_a_local_template_may_include_from_the_web(self) -> None:
        web = Web()
        web.add("https://web.test/x.sh", "x")
        text = f"{_VERSION}x: {{get_file: https://web.test/x.sh}}\n"

        found = packaging.collect_package(
            self.write("t.yaml", text), loader=web
        )

        self.assertEqual({"https://web.test/x.sh": "x"}, found.files)
        self.assertEqual(text, found.template)

    def test_the_web_gets_no_file_of_this_machine(self) -> None:
        secret = self.write("secret", "s3cret")
        web = Web()
        web.add(
            "https://web.test/t.yaml",
            f"{_VERSION}x: {{get_file: '{secret.as_uri()}'}}\n",
        )

        error = self.assertRaises(
            errors.PackagingError,
            packaging.collect_package,
            "https://web.test/t.yaml",
            loader=web,
        )

        self.assertIn("a file of this machine", str(error))

    def test_nor_by_a_document_that_a_local_one_includes(self) -> None:
        secret = self.write("secret", "s3cret")
        web = Web()
        web.add(
            "https://web.test/web.yaml",
            f"{_VERSION}x: {{get_file: '{secret.as_uri()}'}}\n",
        )
        template = self.write(
            "t.yaml",
            f"{_VERSION}resources: {{a: {{type: https://web.test/web.yaml}}}}\n",
        )

        self.assertRaises(
            errors.PackagingError,
            packaging.collect_package,
            template,
            loader=web,
        )


class RefusedTests(PackagingTestCase):
    def test_a_missing_file_is_named_with_its_reason(self) -> None:
        template = self.write("t.yaml", f"{_VERSION}x: {{get_file: no.sh}}\n")

        error = self.refused(template)

        self.assertEqual(str(self.directory / "no.sh"), error.place)
        self.assertIn("No such file", error.message)

    def test_a_missing_template_is_named_with_its_reason(self) -> None:
        self.assertIn("No such file", str(self.refused("no/such.yaml")))

    def test_what_is_no_yaml_is_refused_with_its_line(self) -> None:
        error = self.refused(self.write("t.yaml", "a: 1\nb: [\n"))

        self.assertIn("line 3", str(error))

    def test_a_directory_is_no_file(self) -> None:
        (self.directory / "d").mkdir()
        template = self.write("t.yaml", f"{_VERSION}x: {{get_file: d}}\n")

        self.assertIn("no file", str(self.refused(template)))

    def test_a_template_must_be_a_text(self) -> None:
        error = self.refused(self.write("t.yaml", b"\xff\xfe\x00"))

        self.assertIn("UTF-8", str(error))

    def test_a_file_has_a_limit(self) -> None:
        template = self.write("t.yaml", f"{_VERSION}# {'x' * 100}\n")

        error = self.assertRaises(
            errors.PackagingError,
            packaging.collect_package,
            template,
            loader=file_loader.Loader(max_bytes=100),
        )

        self.assertIn("more than 100 bytes", str(error))


class DirectoryTests(PackagingTestCase):
    def collected(self) -> packaging.Package:
        return packaging.from_directory(self.directory)

    def test_a_template_with_a_common_name_is_taken(self) -> None:
        self.write("template.yaml", f"{_VERSION}# this\n")
        self.write("other.yaml", f"{_VERSION}# other\n")
        self.write("env.yaml", "parameters: {a: 1}\n")

        found = self.collected()

        self.assertIn("# this", str(found.template))
        self.assertEqual(("env.yaml",), found.environment_files)

    def test_the_only_template_is_taken(self) -> None:
        self.write("shop.yaml", f"{_VERSION}# this\n")
        self.write("values.yaml", "a: heat_template_version\n")

        self.assertIn("# this", str(self.collected().template))

    def test_of_several_templates_none_is_taken(self) -> None:
        self.write("one.yaml", _VERSION)
        self.write("two.yaml", _VERSION)

        error = self.assertRaises(errors.PackagingError, self.collected)

        self.assertIn("one.yaml, two.yaml", str(error))

    def test_a_directory_without_a_template_is_refused(self) -> None:
        error = self.assertRaises(errors.PackagingError, self.collected)

        self.assertIn("found: none", str(error))


class AloneTests(PackagingTestCase):
    def test_what_lies_elsewhere_is_not_read(self) -> None:
        text = f"{_VERSION}resources: {{a: {{type: not-here.yaml}}}}\n"
        place = self.write("template.yaml", text)

        for source in (place, self.directory):
            found = packaging.package_alone(source, ["one.yaml", "two.yaml"])

            self.assertEqual(
                {
                    "template": text,
                    "files": {},
                    "environment_files": ["one.yaml", "two.yaml"],
                },
                found.body(),
            )
            self.assertEqual({"": str(place)}, found.places)
