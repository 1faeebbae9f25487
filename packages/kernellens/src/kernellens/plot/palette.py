"""Colours and marks of the course's figures: the palette of Okabe and Ito, told apart by every kind of colour vision.

Nothing is told by colour alone: each kind of row has a mark of its own and every mark its label. `INK`, `MUTED`, `FAINT` and
`PAPER` are each used for one thing only, so that a page with a dark background can put others in their place (`DARK`).
"""

BLUE, VERMILLION, GREEN, PURPLE, SKY, ORANGE = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"
SERIES = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)
MARKERS = ("circle", "square", "triangle", "diamond", "inverted_triangle", "plus")

INK, MUTED, FAINT, PAPER = "#1F2328", "#59636E", "#D8DEE4", "#FFFFFF"
DARK = {INK: "#E6E6E6", MUTED: "#A8B1BA", FAINT: "#3A3F45", PAPER: "#111111", BLUE: "#4C86E8"}

# What the rows of a comparison are, and how they are drawn.
GROUPS = {
    "published": (VERMILLION, "circle"),
    "here": (BLUE, "square"),
    "recorded": (GREEN, "triangle"),
    "estimate": (PURPLE, "diamond"),
    "limit": (INK, "dash"),
}
