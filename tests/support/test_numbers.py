"""Numbers, quantities and dates: which spellings mean the same, and which do not."""

from __future__ import annotations

from decimal import Decimal

import pytest

from pipeline.support import claim_of, source_of, support
from pipeline.support.numbers import plain, values


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("1,000 rooms", "1000 rooms"),
        ("1000 rooms", "1,000 rooms"),
        ("12 000 rooms", "12,000 rooms"),
        ("12\u202f000 rooms", "12000 rooms"),
        ("1'000'000 rooms", "1,000,000 rooms"),
        ("1 million rooms", "1,000,000 rooms"),
        ("1.5 million rooms", "1500000 rooms"),
        ("two million rooms", "2,000,000 rooms"),
        ("2 rooms", "two rooms"),
        ("１２ rooms", "12 rooms"),
        ("$5bn revenue", "revenue of US$5 billion"),
        ("$5m revenue", "revenue of 5 million dollars"),
        ("€5 fee", "fee of 5 euros"),
        ("5% rise", "rise of 5 per cent"),
        ("5 percent rise", "rise of 5%"),
        ("5 km run", "run of 5,000 metres"),
        ("5 km run", "5-kilometre run"),
        ("2 weeks of rest", "rest of 14 days"),
        ("250 mg dose", "dose of 0.25 g"),
        ("-5 °C outside", "outside −5°C"),
        ("5 million seats", "5 to 10 million seats"),
        ("5 km run", "a run of 5 or 6 km"),
        ("5 km run", "table of runs: 5"),
        ("opened on 3 March 2020", "opened on March 3rd, 2020"),
        ("opened on 3 March 2020", "opened 2020-03-03"),
        ("opened 2020-03-03", "opened on 3 Mar 2020"),
        ("opened on 03.04.2020", "opened in April, on the 3rd, 2020"),
        ("opened on 3rd March 2020", "opened on 3 March 2020"),
        ("opened in March", "opened on 3 March 2020"),
        ("grew in the 1990s", "grew in 1994"),
        ("the 21st century", "21st-century century"),
        ("6700万人口", "人口为67000000"),
        ("version 3.11.2", "version 3.11.2 is out"),
        ("COVID-19 cases", "cases of covid-19"),
        ("1. Rooms are 5 large", "Rooms are 5 large"),
        ("69m people", "69 million people"),
    ],
)
def test_two_spellings_of_a_quantity_are_one(claim, source):
    found = support(claim_of(claim), source_of(source))
    assert found.missing == ()
    assert found.score > 0


@pytest.mark.parametrize(
    ("claim", "source", "missing"),
    [
        ("69 million people", "67 million people", ("69 million",)),
        ("67 people", "67 million people", ("67",)),
        ("67 million people", "67 people", ("67 million",)),
        ("5 people", "5,000 people", ("5",)),
        ("5 km run", "5 miles run", ("5 km",)),
        ("5% rise", "5 km rise", ("5%",)),
        ("$5 fee", "fee of €5", ("5",)),
        ("-5 °C outside", "outside 5 °C", ("5 °C",)),
        ("3.14 is pi", "3.141 is pi", ("3.14",)),
        ("opened on 3 March 2020", "opened on 3 May 2020", ("March",)),
        ("opened on 3rd March", "opened on 3 May", ("March",)),
        ("opened in 1994", "opened in the 1990s", ("1994",)),
        ("version 3.11.2", "version 3.11.3", ("3.11.2",)),
        ("COVID-19 cases", "covid cases", ("19",)),
        ("6900万人口", "人口为6700万", ("6900万",)),
        ("rooms 12 and 13", "rooms 12", ("13",)),
    ],
)
def test_another_quantity_is_missing_and_the_claim_unsupported(claim, source, missing):
    found = support(claim_of(claim), source_of(source))
    assert found.missing == missing
    assert found.score == 0.0
    assert found.overlap > 0


def test_all_numbers_must_stand_in_one_window():
    # 1975 and 440 stand 400 words apart: no window of 40 terms holds both.
    far = "The standard of 1975 is old. " + "Nothing else follows here today. " * 100 + "The tuning is 440 hertz."
    assert support(claim_of("The tuning standard of 1975 is 440 hertz."), source_of(far)).score == 0.0
    near = "The standard of 1975 is old. The tuning is 440 hertz."
    assert support(claim_of("The tuning standard of 1975 is 440 hertz."), source_of(near)).score > 0.4


@pytest.mark.parametrize(
    ("written", "english", "numbers"),
    [
        ("5", True, [5]),
        ("1,000", True, [1000]),
        ("1.000", True, [1]),
        ("1,000", False, [1000, 1]),
        ("1.000", False, [1000, 1]),
        ("3,14", True, ["3.14"]),
        ("1.234.567", True, [1234567]),
        ("1,234.5", True, ["1234.5"]),
        ("1.234,5", False, ["1234.5"]),
        ("0.123", False, ["0.123"]),
        ("12 000", True, [12000, 12, 0]),
        ("1,2,3", True, [1, 2, 3]),
        ("3.11.2", True, []),
        ("9" * 30, True, []),
    ],
)
def test_a_spelling_may_be_these_numbers(written, english, numbers):
    assert values(written, english) == [Decimal(number) for number in numbers]


@pytest.mark.parametrize(
    ("value", "text"), [("1E+6", "1000000"), ("0.50", "0.5"), ("-3", "-3"), ("0.0", "0"), ("-0", "0")]
)
def test_equal_values_are_written_alike(value, text):
    assert plain(Decimal(value)) == text
