"""Everything else is said in setup.cfg; pbr reads it."""

import setuptools

# With it, an editable install is a line in a .pth file. The other kind, a
# finder, comes after this folder itself, a namespace package of the same name
# to whoever runs at the top of the repository.
setuptools.setup(setup_requires=["pbr>=6.0"], pbr=True, package_dir={"": "."})
