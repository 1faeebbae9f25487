"""``protocols.moved``: what is copied, and how often it crosses the bus, when an array changes library and process."""

from __future__ import annotations

from ..numbers import Quantity, mistake, predict

ELEMENTS = 50_000_000
WHOLE = ELEMENTS * 4  # bytes: float32
LINK = 25e9  # bytes per second over the bus
MEMORY = WHOLE + WHOLE // 2
PICKLED = WHOLE // 2
CROSSINGS = 4  # to the host, to the worker's device, to the host, back to our device
BUS = CROSSINGS * PICKLED
SECONDS = BUS / LINK


MOVED = predict(
    "protocols.moved",
    "What is copied?",
    (
        Quantity(
            "memory", float(MEMORY), "bytes", "300 MB: a and b show x's memory, and only c has its own", rtol=0.02
        ),
        Quantity("pickled", float(PICKLED), "bytes", "100 MB: a view is packed as what it shows", rtol=0.02),
        Quantity(
            "bus",
            float(BUS),
            "bytes",
            "400 MB: from our device to the host, to the worker's device, to the host, and back to ours",
            rtol=0.02,
        ),
        Quantity("seconds", SECONDS, "s", "16 ms: 400 MB at 25 GB/s, and the copies between the processes come on top"),
    ),
    lines=5,
    hints=(
        "Which of the three lines makes an array of its own? `as_cuda_array`, `cp.asarray` of a device array, and a slice hand "
        "over an address; `copy` does not.",
        "A pickle is a string of bytes on the host. It holds what the array shows, and nothing of the memory between.",
        "Packing b fetches it to the host; unpacking sends it to the device. That happens once on the way there, and once on "
        "the way back: four crossings.",
    ),
    mistakes={
        "memory-float64": mistake(
            "item-size",
            "that is 8 bytes for each number, or a copy in every line. x is float32, and three of the four can share memory.",
            memory=6e8,
        ),
        "memory-slice": mistake(
            "copied",
            "that is 100 MB too much. The slice b is a view and takes no memory, and its copy c has 25 million numbers.",
            memory=4e8,
        ),
        "memory-all": mistake(
            "copied", "that counts `as_cuda_array` as a copy. It hands over the address and nothing else.", memory=5e8
        ),
        "memory-none": mistake("lifetime", "that leaves out c, which is a copy with memory of its own.", memory=2e8),
        "memory-new": mistake("lifetime", "that is c alone. x is still there, and a and b look at it.", memory=1e8),
        "pickled-whole": mistake(
            "view", "that is all of x. A pickle holds what the view shows, every other number.", pickled=2e8
        ),
        "pickled-handle": mistake(
            "crossing",
            "that would be the address and the shape only. In another process an address means nothing: the numbers go along.",
            pickled=64.0,
        ),
        "bus-once": mistake("crossing", "that is one crossing. Count again: there are four.", bus=1e8, seconds=0.004),
        "bus-twice": mistake(
            "crossing",
            "that is two crossings. Each way goes from a device to the host and from the host to a device.",
            bus=2e8,
            seconds=0.008,
        ),
        "bus-there": mistake(
            "crossing",
            "that is three crossings. The result has to go up to our device as well.",
            bus=3e8,
            seconds=0.012,
        ),
        "bus-whole": mistake("view", "that sends all of x. Only every other number is sent.", bus=8e8, seconds=0.032),
        "megabytes": mistake("unit", "that is in MB. Asked for: bytes.", memory=300.0, pickled=100.0, bus=400.0),
        "milliseconds": mistake(
            "unit", "that is a thousand times too large: milliseconds? Asked for: seconds.", seconds=16.0
        ),
        "elements": mistake(
            "per-element", "those are elements. A float32 has 4 bytes.", memory=75e6, pickled=25e6, seconds=SECONDS
        ),
    },
)
