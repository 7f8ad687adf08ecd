"""Everything else is said in setup.cfg; pbr reads it."""

import setuptools

# With it, an editable install is a line in a .pth file, which all tools read.
setuptools.setup(setup_requires=["pbr>=6.0"], pbr=True, package_dir={"": "."})
