"""At the borders: guards that are missing or off by one, axes swapped, indices below zero, grids and blocks of the wrong size.

On a GPU Numba takes an index below zero from the end, as NumPy does, which is a wrong value in silence: a warning, since it may
be meant.  Past the end nothing is checked at all: an error.
"""

from .variant import Broken

BEYOND, NEGATIVE = "out-of-bounds", "negative-index"


def beyond(entry, breakage, old, new, at, **options):
    return Broken(entry, breakage, old, new, BEYOND, at, **options)


def below(entry, breakage, old, new, at, **options):
    return Broken(entry, breakage, old, new, NEGATIVE, at, severity="warning", **options)


VARIANTS = [
    beyond("saxpy", "guard removed", "    if i < out.size:\n    ", "", "out[i] = a * x[i] + y[i]"),
    beyond("saxpy", "guard lets one thread too many in", "i < out.size", "i <= out.size", "out[i] = a * x[i]"),
    beyond("increment", "guard lets one thread too many in", "i < len(x)", "i <= len(x)", "x[i] += 1"),
    beyond(
        "brighten", "reads the right neighbour at the border", "image[i] * gain", "image[i + 1] * gain", "value = int("
    ),
    below(
        "brighten", "reads the left neighbour at the border", "image[i] * gain", "image[i - 1] * gain", "value = int("
    ),
    beyond("mixed_types", "a column that is not there", "out[i, 3] =", "out[i, 4] =", "out[i, 4] ="),
    beyond("math_functions", "a column too far to the left", "out[i, 0] =", "out[i, -10] =", "out[i, -10] ="),
    # 3 x 3 stencil, reading left to right, top to bottom: the first neighbour that is not there
    below("stencil_3x3_int8", "upper border not spared", "1 <= i < n - 1", "i < n - 1", "            x[i - 1, j - 1]"),
    below("stencil_3x3_int8", "left border not spared", "1 <= j < m - 1", "j < m - 1", "            x[i - 1, j - 1]"),
    beyond("stencil_3x3_int8", "right border not spared", "j < m - 1", "j < m", "+ x[i - 1, j + 1]"),
    beyond("stencil_3x3_int8", "lower border not spared", "i < n - 1", "i < n", "+ x[i + 1, j - 1]"),
    beyond(
        "stencil_3x3_int8",
        "row and column swapped",
        "x[i - 1, j - 1]",
        "x[j - 1, i - 1]",
        "            x[j - 1, i - 1]",
    ),
    beyond("stencil_3d", "last plane not spared", "0 < k < width - 1", "0 < k < width", "+ x[i, j, k + 1]"),
    below("stencil_3d", "first plane not spared", "0 < i < depth - 1", "i < depth - 1", "            x[i - 1, j, k]"),
    below("heat_equation", "left border not held", "j == 0 or ", "", "flow = now[i - 1, j]"),
    beyond("heat_equation", "lower border not held", "i == now.shape[0] - 1 or ", "", "flow = now[i - 1, j]"),
    beyond("heat_equation", "guard of the rows removed", "i < now.shape[0] and ", "", "then[i, j] = now[i, j]\n"),
    beyond(
        "fdtd_2d",
        "last column of the magnetic field",
        "if j < ez.shape[1] - 1",
        "if j < ez.shape[1]",
        "hx[i, j] -=",
        function="update_magnetic",
    ),
    beyond(
        "fdtd_2d",
        "last row of the magnetic field",
        "if i < ez.shape[0] - 1",
        "if i < ez.shape[0]",
        "hy[i, j] +=",
        function="update_magnetic",
    ),
    below("fdtd_2d", "first column of the electric field", "0 < j < ez", "0 <= j < ez", "ez[i, j] +="),
    beyond("game_of_life", "neighbours not wrapped", "(i + a) % n", "i + a", "alive += world"),
    beyond(
        "sobel",
        "lower border not spared",
        "y == height - 1 or ",
        "",
        "+ image[y + 1, x + 1]\n        - image[y - 1, x - 1]\n        - 2 * int32(image[y, x - 1])",
    ),
    beyond(
        "gaussian_blur_constant_memory",
        "not clamped on the right",
        "min(max(j + k - 2, 0), image.shape[1] - 1)",
        "max(j + k - 2, 0)",
        "total += weights[k] * image[i, column]",
    ),
    below(
        "gaussian_blur_constant_memory",
        "not clamped on the left",
        "min(max(j + k - 2, 0), image.shape[1] - 1)",
        "min(j + k - 2, image.shape[1] - 1)",
        "total += weights[k] * image[i, column]",
    ),
    below("dilation", "rows above the image", "y < 0 or ", "", "if mask[y, x]:"),
    beyond("dilation", "columns beyond the image", " or x >= mask.shape[1]", "", "if mask[y, x]:"),
    beyond("convolution_1d", "one past the end", "0 <= j < x.size", "0 <= j <= x.size", "total += x[j] * kernel[k]"),
    below("convolution_1d", "before the beginning", "0 <= j < x.size", "j < x.size", "total += x[j] * kernel[k]"),
    beyond("bilinear_resize", "the row below the last", "min(y0 + 1, image.shape[0] - 1)", "y0 + 1", "bottom ="),
    beyond("bilinear_resize", "the column after the last", "min(x0 + 1, image.shape[1] - 1)", "x0 + 1", "top ="),
    beyond("transpose_naive", "indices of the result swapped", "out[j, i] =", "out[i, j] =", "out[i, j] = x[i, j]"),
    beyond(
        "transpose_naive",
        "guard with x and y swapped",
        "i < x.shape[0] and j < x.shape[1]",
        "i < x.shape[1] and j < x.shape[0]",
        "out[j, i] = x[i, j]",
    ),
    beyond(
        "transpose_shared",
        "guard of the load used for the store",
        "if bx + ty < x.shape[1] and by + tx < x.shape[0]",
        "if by + ty < x.shape[0] and bx + tx < x.shape[1]",
        "out[bx + ty, by + tx] = tile[tx, ty]",
    ),
    beyond("rotate_axes", "axes of the result swapped", "out[k, i, j]", "out[i, k, j]", "out[i, k, j] = x[i, j, k]"),
    beyond("mandelbrot", "x and y swapped", "image[i, j] =", "image[j, i] =", "image[j, i] =", case="31x47"),
    beyond("outer_product", "x and y swapped", "out[i, j] =", "out[j, i] =", "out[j, i] = x[i] * y[j]"),
    beyond("add_row_grid_stride", "the row by the wrong index", "row[j]", "row[i]", "out[i, j] =", case="64x5"),
    beyond(
        "matmul_naive", "guard removed", "    if i < c.shape[0] and j < c.shape[1]:", "    if True:", "total += a[i, k]"
    ),
    beyond("matmul_naive", "inner loop one too long", "range(a.shape[1])", "range(a.shape[1] + 1)", "total += a[i, k]"),
    beyond("csr_matvec", "a row too many", "row < indptr.size - 1", "row < indptr.size", "for k in range(indptr[row]"),
    beyond(
        "merge_sorted_runs", "a thread too many", "i < a.size + b.size", "i <= a.size + b.size", "value = b[i - a.size]"
    ),
    beyond("odd_even_sort", "pair at the end", "k + 1 < n and", "k < n and", "x[k] > x[k + 1]:"),
    beyond(
        "counting_sort",
        "counter of a key that is not there",
        "keys[i] + 1, 1",
        "keys[i] + 2, 1",
        "cuda.atomic.add(counts",
        function="count_keys",
    ),
    beyond("joint_histogram", "an atomic out of bounds", "(x[i], y[i])", "(x[i] + 1, y[i])", "cuda.atomic.add(counts"),
    beyond(
        "column_sum",
        "guard of the store removed",
        " and column < x.shape[1]:\n        total = 0",
        ":\n        total = 0",
        "out[column] = total",
        case="100x33",
    ),
    below("rolling_mean", "window not full yet", "if i + 1 < window", "if i < 0", "total += x[k]"),
    below(
        "three_phase_scan",
        "the first block has none before it",
        " and cuda.blockIdx.x > 0",
        "",
        "out[i] += totals",
        function="add_offsets",
    ),
    beyond(
        "charge_deposition",
        "array one short",
        "",
        "",
        "left + 1, charge * weight",
        args=lambda cuda, x, charge, cell, density: (x, charge, cell, density[:-1].copy()),
    ),
    beyond("saxpy", "one block more than the guard's array", "i < out.size", "i < 1152", "out[i] = a * x[i]", grid=9),
]
