"""What libdevice rounds to a given side, against exact fractions; its Bessel functions against SciPy's; its names against numba-cuda's."""

import json
import os
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy import special

WAYS = (pytest.param("compiled", marks=pytest.mark.large), "interpreted")  # to compile them takes a minute
REAL = os.environ.get("KERNELLENS_COMPILER")


@pytest.fixture(params=WAYS)
def run(request, cuda, monkeypatch, tmp_path):
    """Results of expressions of x, y and z, an array each."""
    monkeypatch.setenv("GPUSIM_KERNELS", request.param)

    def results(expressions, kinds, *columns):
        from numba.cuda import libdevice

        outs = [f"out{k}" for k in range(len(expressions))]
        lines = [f"        {out}[i] = {text}\n" for out, text in zip(outs, expressions, strict=True)]
        head = f"def kernel(x, y, z, {', '.join(outs)}):\n    i = cuda.grid(1)\n    if i < x.size:\n"
        file = tmp_path / "several.py"
        file.write_text(head + "".join(lines))
        names = {"cuda": cuda, "libdevice": libdevice}
        exec(compile(file.read_text(), str(file), "exec"), names)
        columns = [*columns, *[columns[0]] * (3 - len(columns))]
        made = [np.zeros(len(columns[0]), kind) for kind in kinds]
        cuda.jit(names["kernel"])[(len(columns[0]) + 31) // 32, 32](*columns, *made)
        return made

    return results


def rounded(exact, nearest, way):
    """The float of its type that is nearest to a fraction on one side, from the nearest of all, or one beside it."""
    kind = type(nearest)
    with np.errstate(over="ignore"):
        near = [np.nextafter(nearest, kind(-np.inf)), nearest, np.nextafter(nearest, kind(np.inf))]
    if way == "rd" or (way == "rz" and exact > 0):
        return max(v for v in near if _exactly(v) <= exact)
    return min(v for v in near if _exactly(v) >= exact)


def _exactly(value):
    return Fraction(float(value)) if np.isfinite(value) else value


def numbers(kind, n, seed):
    """Of all sizes, with some that overflow or underflow in products and that cancel in sums."""
    rng = np.random.default_rng(seed)
    wide = 300 if kind == np.float64 else 37
    with np.errstate(all="ignore"):
        some = (rng.choice([-1, 1], n) * 10.0 ** rng.uniform(-wide, wide, n)).astype(kind)
        some[: n // 2] = rng.normal(size=n // 2)
    tiny = np.finfo(kind).smallest_subnormal
    some[:8] = [1, 3, -7, tiny, -tiny * 5, np.finfo(kind).max, np.finfo(kind).tiny, 0.1]
    return rng.permutation(some)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_sums_products_quotients_and_roots_are_rounded_to_their_side(run, kind):
    p, f = ("f", "f") if kind == np.float32 else ("d", "")
    x, y, z = (numbers(kind, 200, seed) for seed in (1, 2, 3))
    with np.errstate(over="ignore"):
        z[100:150] = -(x * y)[100:150] * kind(1.0000001)  # what is left after cancelling
    z[~np.isfinite(z)] = 1
    ways = ("rd", "ru", "rz")
    texts = {"add": "x[i], y[i]", "mul": "x[i], y[i]", "div": "x[i], y[i]", "rcp": "x[i]"}
    expressions = [f"libdevice.{p}{name}_{way}({args})" for name, args in texts.items() for way in ways]
    expressions += [f"libdevice.fma{f}_{way}(x[i], y[i], z[i])" for way in ways]
    found = iter(run(expressions, [kind] * len(expressions), x, y, z))
    exact = {
        "add": lambda a, b, c: a + b,
        "mul": lambda a, b, c: a * b,
        "div": lambda a, b, c: a / b,
        "rcp": lambda a, b, c: 1 / a,
        "fma": lambda a, b, c: a * b + c,
    }
    for name, function in exact.items():
        for way in ways:
            for k, mine in enumerate(next(found)):
                wanted = function(*(Fraction(float(v[k])) for v in (x, y, z)))
                given = (name, way, x[k], y[k], z[k])
                assert wanted != 0, given
                nearest = _nearest(wanted, kind)
                assert mine == rounded(wanted, nearest, way), given


def _nearest(exact, kind):
    """A float no further than one away from the nearest."""
    try:
        with np.errstate(all="ignore"):
            return kind(float(exact))
    except OverflowError:
        return kind(np.inf) if exact > 0 else kind(-np.inf)


def test_what_is_rounded_to_zero_keeps_its_sign(run):
    x = np.array([-0.3, 0.3, -0.5, -0.0])
    found = run(["libdevice.round(x[i])", "libdevice.roundf(x[i])"], [np.float64, np.float32], x)
    for each in found:
        assert each.tolist() == [0, 0, -1, 0]
        assert np.signbit(each).tolist() == [True, False, True, True]


def test_a_root_is_rounded_to_its_side_and_a_sum_of_zero_has_the_sign_of_its_side(run):
    x = np.abs(numbers(np.float64, 200, 4))
    ways = ("rd", "ru", "rz")
    for kind, p in ((np.float64, "d"), (np.float32, "f")):
        some = x[(x < 1e30) & (x > 1e-30)].astype(kind) if kind == np.float32 else x
        for way, mine in zip(
            ways, run([f"libdevice.{p}sqrt_{way}(x[i])" for way in ways], [kind] * 3, some), strict=True
        ):
            for number, root in zip(some, mine, strict=True):
                exact, step = Fraction(float(number)), kind(np.inf if way != "ru" else 0)
                beside = Fraction(float(np.nextafter(root, step)))
                square = Fraction(float(root)) ** 2
                assert square == exact or (square < exact) == (way != "ru") == (beside**2 > exact)
    zeros = run(
        [f"libdevice.dadd_{w}(x[i], y[i])" for w in ways],
        [np.float64] * 3,
        np.array([3.0, 0.0, -0.0]),
        np.array([-3.0, 0.0, -0.0]),
    )
    assert [np.signbit(each).tolist() for each in zeros] == [
        [True, False, True],
        [False, False, True],
        [False, False, True],
    ]


def test_whole_numbers_become_floats_on_their_side(run):
    x = np.array([2**63 - 1, -(2**63) + 1, 2**53 + 1, -(2**53) - 1, 2**24 + 1, 7, 0], np.int64)
    names = [
        f"{whole}2{to}_{way}" for whole in ("ll", "ull") for to in ("float", "double") for way in ("rd", "ru", "rz")
    ]
    kinds = [np.float32 if "float" in name else np.float64 for name in names]
    for name, mine in zip(names, run([f"libdevice.{name}(x[i])" for name in names], kinds, x), strict=True):
        for given, number in zip(x, mine, strict=True):
            exact = int(given) % 2**64 if name[0] == "u" else int(given)
            nearest = type(number)(exact)
            way = name[-2:]
            assert number == (rounded(Fraction(exact), nearest, way) if exact else 0), (name, exact)


def test_a_float_becomes_an_integer_that_fits_and_halves_are_those_of_numpy(run):
    x = np.array([3e9, -3e9, 1e30, -1e30, 2.5, -2.5, np.nan])
    whole = [np.int64] * 4
    texts = [f"libdevice.double2{name}_rn(x[i])" for name in ("int", "uint", "ll", "ull")]
    ints, unsigned, longs, long_unsigned = run(texts, whole, x)
    assert ints.tolist()[:6] == [2**31 - 1, -(2**31), 2**31 - 1, -(2**31), 2, -2]
    assert unsigned.tolist()[:6] == [3000000000 - 2**32, 0, -1, 0, 2, 0]
    assert longs.tolist()[:6] == [3000000000, -3000000000, 2**63 - 1, -(2**63), 2, -2]
    assert long_unsigned.tolist()[:6] == [3000000000, 0, -1, 0, 2, 0]
    f = np.array([1.0, -0.0, 65504, 65520, 1e-7, 6.1e-5, -0.1, np.inf, 3.14159], np.float32)
    (bits,) = run(["libdevice.float2half_rn(x[i])"], [np.int16], f)
    with np.errstate(over="ignore"):
        halves = f.astype(np.float16)
    assert bits.tolist() == halves.view(np.int16).tolist()
    (back,) = run(["libdevice.half2float(x[i])"], [np.float32], bits)
    assert back.tolist() == halves.astype(np.float32).tolist()


def test_bessel_functions_and_erfcx_are_those_of_scipy(run):
    x = np.concatenate([np.linspace(0.05, 24.9, 60), [25.5, 60.0, 1000.0]])
    n = np.arange(len(x)) % 7
    texts = [f"libdevice.{name}(x[i])" for name in ("j0", "j1", "y0", "y1", "erfcx")]
    texts += ["libdevice.jn(y[i], x[i])", "libdevice.yn(y[i], x[i])", "libdevice.jn(80, x[i])"]
    found = run(texts, [np.float64] * 8, x, n)
    wanted = [getattr(special, name)(x) for name in ("j0", "j1", "y0", "y1", "erfcx")]
    wanted += [special.jv(n, x), special.yn(n, x), special.jv(80, x)]
    for text, mine, theirs in zip(texts, found, wanted, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=2e-13, atol=3e-15, err_msg=text)
    edges = np.array([0.0, -1.0, np.inf])
    j0, y0, y1 = run([f"libdevice.{name}(x[i])" for name in ("j0", "y0", "y1")], [np.float64] * 3, edges)
    assert j0[[0, 2]].tolist() == [1.0, 0.0] and j0[1] == pytest.approx(special.j0(-1.0), rel=1e-15)
    assert np.array_equal(y0, [-np.inf, np.nan, 0.0], equal_nan=True) and np.array_equal(y0, y1, equal_nan=True)


def test_remainders_have_the_quotients_last_bits(run):
    x, y = np.array([29.0, -29.0, 7.5, 1e300]), np.array([3.0, 3.0, -2.0, 3.0])
    left, more, quotient = run(
        ["libdevice.remainder(x[i], y[i])", *(f"libdevice.remquo(x[i], y[i])[{k}]" for k in (0, 1))],
        [np.float64, np.float64, np.int64], x, y,
    )  # fmt: skip
    assert left.tolist() == more.tolist() == np.array([-1.0, 1.0, -0.5, float(np.float64(1e300) % 3)]).tolist()
    assert (np.abs(quotient[:3]) % 8).tolist() == [2, 2, 4] and (quotient[:3] < 0).tolist() == [False, True, True]


def test_every_function_is_there_and_no_other(cuda):
    from numba.cuda import libdevice

    assert len(libdevice.__all__) == 317 and dir(libdevice) == libdevice.__all__
    for name in libdevice.__all__:
        assert getattr(libdevice, name).__doc__.startswith(f"``__nv_{name}``")
    with pytest.raises(AttributeError, match="sinn"):
        _ = libdevice.sinn


@pytest.mark.large
@pytest.mark.skipif(not REAL, reason="needs numba-cuda: KERNELLENS_COMPILER=/a/python/that/has/it")
def test_names_and_types_are_those_of_numba_cuda(cuda):
    from numba.cuda import libdevice

    program = (
        "import json, numba_cuda\nfrom numba.cuda.libdevicefuncs import functions\n"
        "rows = {n[5:]: (str(r), [(str(a.ty), a.is_ptr) for a in args]) for n, (r, args) in functions.items()}\nprint(json.dumps(rows))"
    )
    told = subprocess.run([REAL, "-c", program], capture_output=True, text=True, check=True, cwd=Path(__file__).parent)
    wanted: dict[str, list[str]] = {}
    for name, (result, arguments) in sorted(json.loads(told.stdout).items()):
        results = [result] * (result != "none") + [kind for kind, pointer in arguments if pointer]
        wanted.setdefault(f"{','.join(results)}({','.join(k for k, pointer in arguments if not pointer)})", []).append(
            name
        )
    kept = json.loads(Path(libdevice.__file__).with_name("libdevice.json").read_text())
    assert kept == {signature: " ".join(names) for signature, names in wanted.items()}
