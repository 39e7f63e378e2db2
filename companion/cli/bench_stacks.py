"""`companion bench stacks`."""

from companion.cli.bench_tables import stack_figures as figures

__all__ = ["figures"]
