"""The kernel of locate_pixelcolor_numbacuda 0.12, a search for colours in a picture, as published.

Copyright (c) 2023 Johannes Fischer.  MIT; the notice is in ../LICENCES.md.
"""

# fmt: off
# ruff: noqa
import numba.cuda as cuda


@cuda.jit
def find_rgb_value(image, colors, matches1, matches2, lastindex):
    x, y = cuda.grid(2)

    if x < image.shape[0] and y < image.shape[1]:
        for color in colors:
            if (
                image[x, y, 0] == color[0]
                and image[x, y, 1] == color[1]
                and image[x, y, 2] == color[2]
            ):
                pos = cuda.atomic.add(lastindex, 0, 1)
                matches1[pos] += x
                matches2[pos] += y
