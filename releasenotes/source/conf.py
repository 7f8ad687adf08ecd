"""How Sphinx builds the release notes."""

project = "Orch release notes"
copyright = "The Orch developers"
extensions = ["openstackdocstheme", "reno.sphinxext"]
html_theme = "openstackdocs"
openstackdocs_auto_name = False
openstackdocs_auto_version = False
