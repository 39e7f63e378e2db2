"""The companion on ARM: `make test-arm` installs it from its bundle in an emulated 64-bit machine and tries it there.

In here lives what makes the machine (`system`, `machine`), what runs in it (`guest`, `machine/`), and what compares
the two processors (`__main__`). No test of pytest's lives here: those that run in the machine are the other folders'.
"""
