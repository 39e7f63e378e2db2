"""`companion bench board`."""

from companion.cli.bench_tables import board_figures as figures

__all__ = ["figures"]
