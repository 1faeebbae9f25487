"""Kernels of FBPIC, a spectral particle-in-cell code in cylindrical coordinates."""

import numpy as np
from scipy.constants import c, epsilon_0, mu_0

from ..published import fbpic_fields as fb
from ..registry import Case, Source, line, plane, register


def source(path: str) -> Source:
    return Source("fbpic/fbpic", f"fbpic/{path}.py", "0.27.1", "BSD-3-Clause-LBNL")


def _complex(rng, count, *shape):
    return [a + 1j * b for a, b in rng.normal(size=(count, 2, *shape))]


FIELDS = source("fields/cuda_methods")
TRANSFORM = source("fields/spectral_transform/cuda_methods")
SORTING = source("particles/utilities/cuda_sorting")
PUSH = source("particles/push/cuda_methods")
# Complex products may be contracted to fused multiply-adds.
LOOSE = {"rtol": 1e-12, "atol": 1e-13}


register(
    "fbpic_divide_by_volume",
    fb.cuda_divide_scalar_by_volume,
    plane(lambda rng, n, m: (*_complex(rng, 1, n, m), rng.uniform(1, 2, m))),
    lambda array, invvol: {0: array * invvol},
    source=FIELDS,
    **LOOSE,
)


def _currents(rng, n, m):
    before, after, jp, jm, jz = _complex(rng, 5, n, m)
    kz, kr, inv_k2 = rng.normal(size=(3, n, m))
    return before, after, jp, jm, jz, kz, kr, inv_k2, 2.5, n, m


def _corrected(before, after, jp, jm, jz, kz, kr, inv_k2, inv_dt, n, m):
    f = -inv_k2 * ((after - before) * inv_dt + 1j * kz * jz + kr * (jp - jm))
    return {2: jp + 0.5 * kr * f, 3: jm - 0.5 * kr * f, 4: jz - 1j * kz * f}


register(
    "fbpic_correct_currents",
    fb.cuda_correct_currents_curlfree_standard,
    plane(_currents),
    _corrected,
    source=FIELDS,
    **LOOSE,
)


def _spectra(rng):
    for case in plane(lambda rng, n, m: (n, m), shapes=((1, 1), (7, 61), (33, 20)))(rng):
        n, m = case.args
        ep, em, ez, bp, bm, bz, jp, jm, jz, before, after = _complex(rng, 11, n, m)
        coefficients = rng.normal(size=(7, n, m))
        b, a, j, cosine, s_w, kr, kz = coefficients
        for true_rho in (True, False):
            numbers = (b, a, j, cosine, s_w / c**2, kr, kz, 1e-3, true_rho, n, m)
            yield Case(
                f"{case.label} {true_rho}",
                case.grid,
                case.block,
                (ep, em, ez, bp, bm, bz, jp, jm, jz, before, after, *numbers),
            )


def _pushed_fields(ep, em, ez, bp, bm, bz, jp, jm, jz, before, after, b, a, j, cosine, s_w, kr, kz, dt, true_rho, n, m):
    i = 1j
    if true_rho:
        rho = a * after - b * before
    else:
        div_e = kr * (ep - em) + i * kz * ez
        div_j = kr * (jp - jm) + i * kz * jz
        rho = (a - b) * epsilon_0 * div_e - a * dt * div_j
    c2 = c**2
    return {
        0: cosine * ep + 0.5 * kr * rho + c2 * s_w * (-i * 0.5 * kr * bz + kz * bp - mu_0 * jp),
        1: cosine * em - 0.5 * kr * rho + c2 * s_w * (-i * 0.5 * kr * bz - kz * bm - mu_0 * jm),
        2: cosine * ez - i * kz * rho + c2 * s_w * (i * kr * bp + i * kr * bm - mu_0 * jz),
        3: cosine * bp - s_w * (-i * 0.5 * kr * ez + kz * ep) + j * (-i * 0.5 * kr * jz + kz * jp),
        4: cosine * bm - s_w * (-i * 0.5 * kr * ez - kz * em) + j * (-i * 0.5 * kr * jz - kz * jm),
        5: cosine * bz - s_w * (i * kr * ep + i * kr * em) + j * (i * kr * jp + i * kr * jm),
    }


register(
    "fbpic_push_fields",
    fb.cuda_push_eb_standard,
    _spectra,
    _pushed_fields,
    source=FIELDS,
    rtol=1e-11,
    atol=1e-12,
)


def _filtered(r, t, z, n, m, along_z, along_r):
    weight = along_z[:, None] * along_r
    return {0: weight * r, 1: weight * t, 2: weight * z}


register(
    "fbpic_filter",
    fb.cuda_filter_vector,
    plane(lambda rng, n, m: (*_complex(rng, 3, n, m), n, m, rng.random(n), rng.random(m))),
    _filtered,
    source=FIELDS,
    **LOOSE,
)
register(
    "fbpic_complex_to_real",
    fb.cuda_copy_2dC_to_2dR,
    plane(lambda rng, n, m: (*_complex(rng, 1, n, m), np.zeros((2 * n, m)))),
    lambda z, out: {1: np.concatenate([z.real, z.imag])},
    source=TRANSFORM,
)
register(
    "fbpic_rt_to_pm",
    fb.cuda_rt_to_pm,
    plane(lambda rng, n, m: (*_complex(rng, 2, n, m), *np.zeros((2, n, m), "c16"))),
    lambda r, t, p, m: {2: 0.5 * (r - 1j * t), 3: 0.5 * (r + 1j * t)},
    source=TRANSFORM,
    **LOOSE,
)


def _positions(rng, n):
    x, y = rng.uniform(-3, 3, (2, n))
    return np.zeros(n, "i4"), np.zeros(n, "u4"), x, y, rng.uniform(0, 8, n), 2.0, 0.0, 16, 4.0, 0.0, 14


def _cells(cell, order, x, y, z, invdz, zmin, nz, invdr, rmin, nr):
    r = np.ceil(invdr * (np.sqrt(x**2 + y**2) - rmin) - 0.5).astype(int)
    up = np.ceil(invdz * (z - zmin) - 0.5).astype(int)
    up = np.where(up < 0, up + nz, np.where(up > nz - 1, up - nz, up))
    return {0: np.minimum(r, nr) + up * (nr + 1), 1: np.arange(x.size)}


register("fbpic_cell_index", fb.get_cell_idx_per_particle, line(_positions), _cells, source=SORTING)


def _sorted_cells(rng, n):
    return np.sort(rng.integers(2, 60, n, "i4")), np.full(64, -1, "i4")


def _prefix(cells, prefix):
    for i in range(cells.size - 1):
        prefix[cells[i] : cells[i + 1]] = i + 1
    return {1: prefix}


register("fbpic_prefix_sum", fb.incl_prefix_sum, line(_sorted_cells, sizes=(1, 31, 500)), _prefix, source=SORTING)


def _prefilled(cells, prefix, count):
    place = np.arange(prefix.size)
    if count:
        prefix[place < cells[0]] = 0
        prefix[(place >= cells[0]) & (place >= cells[-1])] = count
    else:
        prefix[:] = 0
    return {1: prefix}


register(
    "fbpic_prefill",
    fb.prefill_prefix_sum,
    line(lambda rng, n: (*_sorted_cells(rng, n), n), sizes=(0, 1, 31, 500)),
    _prefilled,
    source=SORTING,
)
register(
    "fbpic_sorting_buffer",
    fb.write_sorting_buffer,
    line(lambda rng, n: (rng.permutation(n).astype("u4"), rng.normal(size=n), np.zeros(n))),
    lambda order, values, out: {2: values[order]},
    source=SORTING,
)


def _particles(rng, n):
    return (*rng.normal(size=(6, n)), rng.uniform(0.1, 1, n), 1e-9, 1.0, -1.0, 0.5)


def _moved(x, y, z, ux, uy, uz, inv_gamma, dt, px, py, pz):
    return {k: v + c * dt * p * inv_gamma * u for k, (v, p, u) in enumerate(((x, px, ux), (y, py, uy), (z, pz, uz)))}


register("fbpic_push_positions", fb.push_x_gpu, line(_particles), _moved, source=PUSH, **LOOSE)

CHARGE, MASS, STEP = -1.602e-19, 9.109e-31, 1e-15


def _momenta(rng, n):
    ux, uy, uz = rng.normal(size=(3, n))
    return (
        ux,
        uy,
        uz,
        1 / np.sqrt(1 + ux**2 + uy**2 + uz**2),
        *rng.normal(0, 1e12, (3, n)),
        *rng.normal(0, 1e3, (3, n)),
        CHARGE,
        MASS,
        n,
        STEP,
    )


def _vay(ux, uy, uz, inv_gamma, ex, ey, ez, bx, by, bz, q, m, n, dt):
    """J.-L. Vay, Physics of Plasmas 15, 056701 (2008), in vectors."""
    u, e, b = (np.stack(v, 1) for v in ((ux, uy, uz), (ex, ey, ez), (bx, by, bz)))
    tau = 0.5 * q * dt / m * b
    half = u + q * dt / (m * c) * e + inv_gamma[:, None] * np.cross(u, tau)
    tau2 = (tau**2).sum(1)
    sigma = 1 + (half**2).sum(1) - tau2
    along_tau = (half * tau).sum(1)
    after = np.sqrt(2 / (sigma + np.sqrt(sigma**2 + 4 * (tau2 + along_tau**2))))
    t = tau * after[:, None]
    s = 1 / (1 + tau2 * after**2)
    new = s[:, None] * (half + t * (half * t).sum(1)[:, None] + np.cross(half, t))
    return {0: new[:, 0], 1: new[:, 1], 2: new[:, 2], 3: after}


register(
    "fbpic_push_momenta",
    fb.push_p_gpu,
    line(_momenta),
    _vay,
    source=PUSH,
    functions=(fb.push_p_vay,),
    rtol=1e-10,
    atol=1e-11,
)
