# Everything here is `python lab.py COMMAND`, for machines without make; `make help` lists it.
# ARGS='…' is passed on, EXTRA=cpu|cu12|cu13|compiler overrides the choice of packages, PYTHON=… that of the Python.
PYTHON ?= $(or $(shell command -v python3 2>/dev/null),python)
COMMANDS := setup test test-all site lint build doctor benchmark lock audit names pages release upgrade clean help

.DEFAULT_GOAL := help
.PHONY: lab $(COMMANDS)

lab $(COMMANDS):
	@"$(PYTHON)" lab.py $@ $(ARGS)
