"""Figures of a bench: counts with the interval that so few trials leave open, and values with a unit."""

import math
from dataclasses import dataclass

CONFIDENCE_Z = 1.96  # 95 %


@dataclass(frozen=True)
class Figure:
    """One row: either `count` of `total`, or a `value` with its `unit`; what may outnumber a total is a value.

    group  what it was counted over: everything, a source, a tag
    """

    name: str
    group: str
    count: int | None = None
    total: int | None = None
    value: float | None = None
    unit: str = ""

    def fields(self) -> dict[str, str | int | float | list[float] | None]:
        """As JSON, with the Wilson interval in per cent."""
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
        if self.total is None or self.count is None:
            return f"{self.value:.4g} {self.unit}".rstrip()
        if not self.total:
            return "none to count"
        low, high = wilson(self.count, self.total)
        share = 100 * self.count / self.total
        return f"{self.count}/{self.total} = {share:.2f} % ({100 * low:.2f}..{100 * high:.2f})"


def wilson(count: int, total: int) -> tuple[float, float]:
    """95 % Wilson interval of a share; (0, 1) when nothing was counted."""
    if not total:
        return 0.0, 1.0
    z2 = CONFIDENCE_Z**2
    share = count / total
    middle = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = CONFIDENCE_Z / (1 + z2 / total) * math.sqrt(share * (1 - share) / total + z2 / (4 * total**2))
    return max(0.0, middle - half), min(1.0, middle + half)
