"""`companion bench card`."""

from companion.cli.bench_tables import card_figures as figures

__all__ = ["figures"]
