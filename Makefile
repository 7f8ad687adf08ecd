# What people type. Everything installs into .venv, the files whose hashes
# requirements.lock and test-requirements.lock have; programs that tests run
# install below build, at the versions of tools/*.lock, which has no hashes.
# Nothing else of the machine changes, except that `make test` and `make
# demo-distributed` start servers when they run as root and find none
# (tools/services).

VENV := .venv
BIN := $(VENV)/bin
# The version to build as, where git cannot tell (a tarball, a shallow clone).
export PBR_VERSION ?= 0.1.0
# Optional packages, which the tests need and `make demo` does not.
CONTRIB := contrib/orch-lifecycle-policies contrib/orch-search-heat
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

.PHONY: help demo demo-distributed test test-cloud test-cloud-full test-heat \
	quick unit soak lint docs samples values venv lock clean

help:
	@echo "make demo              see it work: one process, no server needed"
	@echo "make demo-distributed  the same on RabbitMQ and PostgreSQL"
	@echo "make test              run all tests"
	@echo "make test-cloud        test each type once on real OpenStack services"
	@echo "make test-cloud-full   run all tests on real OpenStack services"
	@echo "make test-heat         run the tests that Heat publishes"
	@echo "make unit              run the unit tests alone"
	@echo "make quick             run the tests of what has changed (BASE=HEAD)"
	@echo "make soak              run the long random tests, for an hour or more"
	@echo "                       (ONLY=tests.chaos.test_lying_lists: 12 min)"
	@echo "make lint              check style, types and imports"
	@echo "make docs              build the documents into doc/build"
	@echo "make samples           write etc/orch/*.sample anew"
	@echo "make values            write the values of orchclient anew"
	@echo "make venv              install Orch into .venv for work on it"
	@echo "make lock              write the files *requirements.lock"
	@echo "make clean             remove what all of these made"

demo: $(VENV)/.installed
	@$(BIN)/python -m tools.demo

demo-distributed: $(VENV)/.installed-tests
	@$(BIN)/python -m tools.services RabbitMQ PostgreSQL
	@$(BIN)/python -m tools.demo --distributed

test: $(VENV)/.installed-tests
	@$(BIN)/python -m tools.services || true
	@$(BIN)/python -m tools.run_tests

test-cloud: $(VENV)/.installed-tests
	@$(BIN)/python -m tools.cloud

test-cloud-full: $(VENV)/.installed-tests
	@$(BIN)/python -m tools.cloud full

test-heat: $(VENV)/.installed-tests
	@$(BIN)/python -m tools.services || true
	@$(BIN)/python -m tools.heat_tests

unit: $(VENV)/.installed-tests
	@$(BIN)/python -m tools.run_tests unit

quick: $(VENV)/.installed-tests
	@$(BIN)/python -m tools.quick

soak: $(VENV)/.installed-tests
	@$(BIN)/python -m tools.services || true
	@$(BIN)/python -m tools.soak $(ONLY)

lint: $(VENV)/.installed-tests
	@$(BIN)/python -m tools.lint

# As `tox run -e docs` does, without an environment of its own; `lint` is
# `tox run -e pep8`.
docs: $(VENV)/.installed-tests
	@$(BIN)/sphinx-build -W --keep-going -q -b html doc/source doc/build/html
	@$(BIN)/sphinx-build -W --keep-going -q -b html releasenotes/source \
		doc/build/releasenotes

samples: $(VENV)/.installed
	@$(BIN)/oslo-config-generator \
		--config-file etc/orch/config-generator.conf
	@$(BIN)/oslopolicy-sample-generator \
		--config-file etc/orch/policy-generator.conf

values: $(VENV)/.installed-tests
	@$(BIN)/python -m tools.client_values

venv: $(VENV)/.installed-tests

lock: $(VENV)/.installed-tests
	@tools/lock

clean:
	rm -rf $(VENV) .tox .stestr .mypy_cache .ruff_cache doc/build cover build \
		orchclient/build contrib/*/build

# The stamps are older than what they were made from when that changes.
$(VENV)/.installed: requirements.lock setup.cfg tools/venv \
		$(addprefix orchclient/,setup.cfg setup.py)
	@tools/venv $(VENV)
	@echo "Installing Orch into $(VENV) ..."
	@$(PIP) --require-hashes -r requirements.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@$(PIP) --no-deps --no-build-isolation --editable ./orchclient
	@touch $@

$(VENV)/.installed-tests: $(VENV)/.installed test-requirements.lock \
		$(CONTRIB:%=%/setup.cfg) $(CONTRIB:%=%/setup.py)
	@echo "Installing what the tests need into $(VENV) ..."
	@$(PIP) --require-hashes -r test-requirements.lock
	@$(PIP) --no-deps --no-build-isolation $(CONTRIB:%=--editable ./%)
	@touch $@
