"""The rings of tests: `make check` before a commit, `make test` for every change, `make test-all` before a release.

`rings.toml` says which tests run when; pytest, the makefile and `docs/shown.md` all follow it.
"""
