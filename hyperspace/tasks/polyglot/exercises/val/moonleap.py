"""Exercise moonleap: dates of a calendar with 13 months."""

from random import Random
from typing import Any

STATEMENT = """\
A calendar has 13 months of 28 days, but for month 13, which has 29, and month 7, which has 29 in
leap years. A year is a leap year if its number is divisible by 4, unless it is divisible by 128.
Years begin with year 1. Days of the week are numbered 0 to 6, one after the other without
exception, and day 1 of month 1 of year 1 has number 0.

The input is an object with the keys "date", [year, month, day], three integers, and "days", an
integer. If there is no such date in the calendar, the answer is null. Else it is the date that many
days later (earlier if days is negative) and its day of the week: [year, month, day, weekday]. It is
null, too, if that would be before year 1. Years are at most 10^7 in size, also in the answer.
"""
LEAP_MONTH, LAST_MONTH, MONTH_DAYS = 7, 13, 28
CYCLE_YEARS = 128
CYCLE_DAYS = CYCLE_YEARS * 365 + 31


def draw_case(rng: Random) -> dict[str, Any]:
    """Dates at the ends of months and near leap days; some that do not exist."""
    year = rng.choice([rng.randint(1, 9), rng.randint(1, 600), 128 * rng.randint(1, 40), 4])
    month = rng.choice([rng.randint(1, 13), 7, 13])
    day = rng.choice([rng.randint(1, 28), 28, 29])
    if rng.random() < 0.08:
        year, month, day = rng.choice([(0, 1, 1), (year, 14, 1), (year, month, 0), (year, 0, 3)])
    reach = rng.choice([3, 40, 400, 50_000, 10**8])
    return {"date": [year, month, day], "days": rng.randint(-reach // 2, reach)}


def solve(case: dict[str, Any]) -> list[int] | None:
    """Count days from the first one on, in cycles of 128 years."""
    year, month, day = case["date"]
    if year < 1 or not 1 <= month <= LAST_MONTH or not 1 <= day <= month_days(year, month):
        return None
    total = days_before(year) + sum(month_days(year, m) for m in range(1, month)) + day - 1
    total += case["days"]
    if total < 0:
        return None
    cycles, rest = divmod(total, CYCLE_DAYS)
    year = 1 + rest // 366
    while days_before(year + 1) <= rest:
        year += 1
    rest -= days_before(year)
    year, month = year + cycles * CYCLE_YEARS, 1
    while rest >= month_days(year, month):
        rest -= month_days(year, month)
        month += 1
    return [year, month, rest + 1, total % 7]


def month_days(year: int, month: int) -> int:
    """Days of a month."""
    is_leap = year % 4 == 0 and year % CYCLE_YEARS != 0
    return MONTH_DAYS + (month == LAST_MONTH or (month == LEAP_MONTH and is_leap))


def days_before(year: int) -> int:
    """Days of all years before."""
    past = year - 1
    return 365 * past + past // 4 - past // CYCLE_YEARS
