"""Cells that are hard to read alike, for every library and engine: what each must become."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa

BERLIN = ZoneInfo("Europe/Berlin")

INSTANTS = [datetime(2024, 10, 27, tzinfo=UTC) + timedelta(minutes=30 * n) for n in range(6)]
"""Clocks in Berlin go back in the middle of these: 2:00 and 2:30 come twice."""

LOCAL = [instant.astimezone(BERLIN) for instant in INSTANTS]
EPOCH, MICROSECOND = datetime(1970, 1, 1), timedelta(microseconds=1)
NOON = datetime(2024, 5, 1, 12)
HUGE = [Decimal("1E+10000000"), Decimal("-1E+10000000"), Decimal("1E-10000000"), 2]
HALF = "a\ud800"

OBJECTS = {
    "times of a zone": (LOCAL, INSTANTS),
    "times of two zones": ([*LOCAL, *INSTANTS], [*INSTANTS, *INSTANTS]),
    "pandas times of a zone": ([pd.Timestamp(time) for time in LOCAL], INSTANTS),
    "times in tuples": ([(time, "a") for time in LOCAL], [(time, "a") for time in INSTANTS]),
    "datetime64[ns]": (
        [np.datetime64(NOON, "ns") + np.timedelta64(n, "ns") for n in (0, 1, 1000)],
        [NOON, NOON, NOON.replace(microsecond=1)],
    ),
    "datetime64 of several units": (
        [np.datetime64(NOON, unit) for unit in ("h", "s", "us", "ns")] + [NOON, None],
        [NOON] * 5 + [None],
    ),
    "timedelta64[ns]": (
        [np.timedelta64(n, "ns") for n in (0, 999, 1000, -1)],
        [timedelta(0), timedelta(0), timedelta(microseconds=1), timedelta(microseconds=-1)],
    ),
    "NaT": ([np.datetime64("NaT", "ns"), np.datetime64(NOON, "ns")], [None, NOON]),
    "longdouble": ([np.longdouble(1) / 4, np.longdouble("0.1"), 0.25], [0.25, 0.1, 0.25]),
    "intervals of months": (
        [pa.MonthDayNano([1, 2, 3000]), pa.MonthDayNano([0, 32, 3000])],
        [timedelta(32, microseconds=3)] * 2,
    ),
    "integers above 1e308": ([10**400, 10**400 + 1, 0.5, 3], [10**400, 10**400 + 1, 0.5, 3]),
    "integers of 5,000 digits": ([10**5000, 10**5000 + 1, 3], [10**5000, 10**5000 + 1, 3]),
    "half a character": ([HALF, "a\\ud800", "\udfff"], [HALF, "a\\ud800", "\udfff"]),
    "decimals of ten million digits": (HUGE, HUGE),
}
"""Cells of Python's and numpy's own types: what is given, and what each becomes."""

_BERLIN = "Europe/Berlin"

TYPED = {
    "times of a zone": (pa.array(INSTANTS, pa.timestamp("us", _BERLIN)), INSTANTS),
    "times of a zone in ns": (pa.array(INSTANTS, pa.timestamp("ns", _BERLIN)), INSTANTS),
    "times of a zone in s": (pa.array(INSTANTS, pa.timestamp("s", _BERLIN)), INSTANTS),
    "times of an offset": (pa.array(INSTANTS, pa.timestamp("us", "+05:30")), INSTANTS),
    "times below the microsecond": (
        pa.array([-1, 1, 999, 1000], pa.int64()).cast(pa.timestamp("ns")),
        [EPOCH - MICROSECOND, EPOCH, EPOCH, EPOCH + MICROSECOND],
    ),
    "durations below the microsecond": (
        pa.array([-1, 1, 999, 1000], pa.int64()).cast(pa.duration("ns")),
        [-MICROSECOND, 0 * MICROSECOND, 0 * MICROSECOND, MICROSECOND],
    ),
    "the first and the last time": (
        pa.array([datetime.min, datetime.max], pa.timestamp("us")),
        [datetime.min, datetime.max],
    ),
    "the first and the last day": (pa.array([date.min, date.max]), [date.min, date.max]),
}
"""Columns of one type: an Arrow array, and what its cells become."""

OUT_OF_RANGE = {
    "time in s": (2**40, pa.timestamp("s")),
    "time in ms": (2**50, pa.timestamp("ms")),
    "time in us": (-(2**62), pa.timestamp("us")),
    "infinity": (2**63 - 1, pa.timestamp("us")),
    "time of a zone": (2**50, pa.timestamp("ms", _BERLIN)),
    "day": (2**30, pa.date32()),
    "duration": (2**60, pa.duration("ms")),
}
"""A number and the type that makes a time of it which Python does not have."""


def out_of_range(case):
    number, kind = OUT_OF_RANGE[case]
    width = pa.int32() if kind == pa.date32() else pa.int64()
    return pa.array([0, number, 0, number], width).cast(kind)
