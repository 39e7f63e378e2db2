"""`companion bench load`."""

from companion.cli.bench_tables import load_figures as figures

__all__ = ["figures"]
