"""How Sphinx builds the documents."""

project = "Orch"
copyright = "The Orch developers"
extensions = [
    "openstackdocstheme",
    "oslo_config.sphinxext",
    "oslo_policy.sphinxext",
    "sphinx.ext.autodoc",
]
html_theme = "openstackdocs"
# Version and name come from git and setup.cfg otherwise, and fail where a
# checkout has no tag.
openstackdocs_auto_name = False
openstackdocs_auto_version = False
