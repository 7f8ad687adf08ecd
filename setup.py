"""Everything is said in setup.cfg; pbr reads it."""

import setuptools

setuptools.setup(setup_requires=["pbr>=6.0"], pbr=True)
