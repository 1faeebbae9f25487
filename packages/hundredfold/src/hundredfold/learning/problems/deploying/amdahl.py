"""``deploying.amdahl``: two times are measured, and five numbers follow from them before anything is rented.

Amdahl's law (G. M. Amdahl, "Validity of the single processor approach", AFIPS 1967): what cannot be divided takes as long on
many workers as on one.
"""

from __future__ import annotations

from ..numbers import Quantity, mistake, predict

ONE, FOUR = 600.0, 195.0  # seconds with one worker, and with four
PRICE = 3.0  # dollars for an hour of a worker
MANY = 16

SERIAL = (4 * FOUR / ONE - 1) / 3  # the share that is not divided
SECONDS = ONE * (SERIAL + (1 - SERIAL) / MANY)
MOST = 1 / SERIAL
HALF = (1 + SERIAL) / SERIAL  # speedup / n = 1 / (n f + 1 - f) = 1/2
DOLLARS = MANY * SECONDS / 3600 * PRICE


AMDAHL = predict(
    "deploying.amdahl",
    "What sixteen workers would bring",
    (
        Quantity("serial", SERIAL, "share", "0.1: 60 s of the 600 s are not divided, and 60 + 540/4 = 195", rtol=0.02),
        Quantity("seconds", SECONDS, "s", "93.75 s: 60 s and a sixteenth of 540 s", rtol=0.02),
        Quantity("most", MOST, "times", "10: however many workers, 60 s remain", rtol=0.02),
        Quantity("workers", HALF, "workers", "11: 600 / (60 + 540/11) is 5.5, half of 11", rtol=0.05),
        Quantity(
            "dollars", DOLLARS, "dollars", "1.25: sixteen workers for 93.75 s each; one worker costs 0.50", rtol=0.02
        ),
    ),
    lines=5,
    hints=(
        "With the share f that is not divided, n workers take T · (f + (1 - f) / n). You know T, and the time for n = 4.",
        "f = (n · t / T - 1) / (n - 1). For very many workers only T · f is left.",
        "n workers are half used when the speedup is n / 2: n · f + 1 - f = 2.",
        "`dollars`: each of the sixteen is paid for until the last is done.",
    ),
    mistakes={
        "serial-ratio": mistake("undivided", "that is 195 s / 600 s: what is left of the time, of which most is divided work.", serial=FOUR / ONE
        ),
        "serial-excess": mistake(
            "undivided",
            "that is by how much four workers missed 150 s, as a share of 600 s. But of the serial part a quarter would have been "
            "divided, too: what was missed is three quarters of it.",
            serial=(FOUR - ONE / 4) / ONE,
        ),
        "serial-percent": mistake("unit", "that is in percent. Asked for is a number between 0 and 1.", serial=10.0),
        "serial-parallel": mistake("complement", "that is the share that is divided.", serial=1 - SERIAL),
        "seconds-linear": mistake("undivided", "that is 600 s / 16. Of the 600 s, 60 s are not divided.", seconds=ONE / MANY
        ),
        "seconds-from-four": mistake("undivided", "that is a quarter of the time with four workers, its serial 60 s divided by four as well.",
            seconds=FOUR / 4,
        ),
        "most-sixteen": mistake("undivided", "that is the number of workers. The question is about any number of them.", most=16.0),
        "most-now": mistake(
            "once", "that is the speedup with sixteen workers. With more it grows, up to a limit.", most=ONE / SECONDS
        ),
        "workers-most": mistake(
            "offset",
            "that is close: with 10 workers the speedup is 5.26, which is more than half of 10.",
            workers=10.0,
        ),
        "workers-half-of-most": mistake(
            "operands",
            "with so many workers each is still used better than by half. Asked for: where the speedup is half of the number of "
            "workers.",
            workers=5.0,
        ),
        "dollars-one": mistake(
            "once", "that is one worker for 93.75 s. All sixteen are paid for.", dollars=SECONDS / 3600 * PRICE
        ),
        "dollars-same": mistake(
            "undivided",
            "that is what one worker costs. It would stay the same if all of the work were divided; fifteen wait here while one does "
            "the serial part.",
            dollars=ONE / 3600 * PRICE,
        ),
        "dollars-hour": mistake("unit", "that is a whole hour of sixteen workers. They are billed by the second.", dollars=48.0),
    },
)  # fmt: skip
