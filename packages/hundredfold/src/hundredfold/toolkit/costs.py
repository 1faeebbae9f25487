"""What a result costs in money and in energy: times measured or published, prices and powers from data with their sources.

>>> from hundredfold.toolkit import costs
>>> costs.watts("H100 PCIe").value
350.0
>>> costs.energy(97, 300)                     # joules
29100.0
>>> round(costs.money(690, 3.06), 3)          # US dollars, billed by the second
0.587
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Figure:
    """A figure with its source.

    Attributes
    ----------
    what : str
        ``"H100 PCIe"``, ``"c5.18xlarge"``.
    value : float
        Watts at most, or US dollars per hour.
    has : str
        For a price: what one gets for it.
    title, publisher, date, address, read : str
        Where the figure stands, of which day, and how it came here.
    """

    what: str
    value: float
    has: str
    title: str
    publisher: str
    date: str
    address: str
    read: str


@cache
def _data() -> dict:
    return json.loads(Path(__file__).with_name("costs.json").read_text(encoding="utf-8"))


def _find(table: str, unit: str, what: str) -> Figure:
    rows = {row["what"]: row for row in _data()[table]}
    if what not in rows:
        raise ValueError(f"There is no figure for {what!r}; there are {', '.join(rows)}. Yours may be another: use it.")
    row = rows[what]
    return Figure(what, float(row[unit]), row.get("has", ""), **_data()["sources"][row["source"]])


def watts(what: str) -> Figure:
    """The most that a GPU or processor turns into heat, in watts (a thermal design power, so a bound from above).

    Raises
    ------
    ValueError
        If there is no figure for it; the message names those that there are.
    """
    return _find("watts", "watts", what)


def price(what: str) -> Figure:
    """A price in US dollars per hour, with its day.

    Raises
    ------
    ValueError
        If there is no figure for it; the message names those that there are.
    """
    return _find("prices", "price", what)


def prices() -> list[Figure]:
    """All prices that are on file."""
    return [price(row["what"]) for row in _data()["prices"]]


def energy(seconds: float, watts: float) -> float:
    """Joules that a device of so many watts takes in so many seconds. 3.6 million of them are a kilowatt-hour."""
    return float(seconds) * float(watts)


def money(seconds: float, price: float, step: float = 1.0, least: float = 0.0) -> float:
    """What so many seconds cost at a price per hour.

    Parameters
    ----------
    seconds : float
    price : float
        Per hour; the result has its currency.
    step : float
        Seconds that are billed at once: 3600 where a begun hour costs a whole one.
    least : float
        Seconds that are billed at least.
    """
    if seconds < 0 or price < 0 or step <= 0:
        raise ValueError("Seconds and price cannot be negative, and a step is longer than nothing.")
    # A rounding error must not cost another step.
    billed = max(math.ceil(seconds / step * (1 - 1e-12)) * step, least)
    return billed / 3600 * price
