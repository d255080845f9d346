"""Figures of samples: quantiles, and how two sides compare."""

import math


def quantile(samples, q):
    """The sample at `q` of the sorted ones, interpolated between neighbours; 0 <= q <= 1."""
    if not samples:
        raise ValueError("no samples")
    if not 0 <= q <= 1:
        raise ValueError(f"a quantile is in 0 to 1, not {q}")
    ordered = sorted(samples)
    position = q * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def is_rate(unit):
    """True if more is better: GB/s, steps/s, %. False for times, also for ns/op."""
    return unit.endswith("/s") or unit == "%"


def ratio(unit, troupe, peer):
    """Over 1 where Troupe is ahead, for times and for rates; None where a figure is missing."""
    if not troupe or not peer:
        return None
    return troupe / peer if is_rate(unit) else peer / troupe


def text_of(value):
    """Three significant digits, and all digits before the point; "-" for None."""
    if value is None:
        return "-"
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:,.{decimals}f}"
