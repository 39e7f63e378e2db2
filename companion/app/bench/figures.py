"""Figures of a bench: counts with their confidence interval, and values with a unit."""

from dataclasses import dataclass
from typing import Any

from companion.game.figures import Measured
from companion.house.fairness import wilson


@dataclass(frozen=True)
class Wanted:
    """The goal of a figure: a share in per cent if it is a count, else a value in the figure's unit."""

    bound: float
    at_most: bool = False

    def met_by(self, reached: float) -> bool:
        return reached <= self.bound if self.at_most else reached >= self.bound

    def words(self, unit: str) -> str:
        return f"{'at most' if self.at_most else 'at least'} {self.bound:g} {unit}"


@dataclass(frozen=True)
class Figure(Measured):
    """One row with its goal, None without one; pictures are counted over all, a source or a tag."""

    wanted: Wanted | None = None

    @property
    def reached(self) -> float | None:
        """A share in per cent, or the value; None if there was nothing to count."""
        if self.total is None or self.count is None:
            return self.value
        return 100 * self.count / self.total if self.total else None

    def fields(self) -> dict[str, Any]:
        """The figure as JSON, with the Wilson interval in per cent, and its goal if it has one."""
        if self.wanted is None:
            return self.bare_fields()
        is_met = None if self.reached is None else self.wanted.met_by(self.reached)
        return {**self.bare_fields(), "wanted": self.wanted.words(self.bare_unit), "met": is_met}

    @property
    def bare_unit(self) -> str:
        return self.unit if self.total is None else "%"

    def bare_fields(self) -> dict[str, Any]:
        if self.total is None or self.count is None:
            return {"name": self.name, "group": self.group, "value": self.value, "unit": self.unit}
        low, high = wilson(self.count, self.total)
        return {
            "name": self.name,
            "group": self.group,
            "count": self.count,
            "total": self.total,
            "percent": round(100 * self.count / self.total, 3) if self.total else None,
            "interval_95_percent": [round(100 * low, 3), round(100 * high, 3)],
        }

    def words(self) -> str:
        if self.wanted is None or self.reached is None:
            return self.bare_words()
        verdict = "met" if self.wanted.met_by(self.reached) else "missed"
        return f"{self.bare_words()}   {self.wanted.words(self.bare_unit)}: {verdict}"

    def bare_words(self) -> str:
        if self.total is None or self.count is None:
            return f"{self.value:.4g} {self.unit}".rstrip()
        if not self.total:
            return "none to count"
        low, high = wilson(self.count, self.total)
        share = 100 * self.count / self.total
        return f"{self.count}/{self.total} = {share:.2f} % ({100 * low:.2f}..{100 * high:.2f})"
