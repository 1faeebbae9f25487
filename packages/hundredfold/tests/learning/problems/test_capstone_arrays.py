"""Unit 15, functions of arrays: answers that the problems do not know, written differently from those they do.

One more wrong answer of each kind, which must be refused for the same reason, and more right ones, which must be accepted.
"""

import numpy as np
import pytest
from answers.second import Answers

from hundredfold.learning.problems.capstone import light as lights
from hundredfold.learning.problems.capstone import patches as tiles
from hundredfold.learning.problems.devices import cp

SECOND = Answers("capstone")
wrong, right = SECOND.wrong, SECOND.right
HERE = ("light", "days", "patches")
pytestmark = pytest.mark.usefixtures("device")


# ---- capstone.light ----


def bent(v):
    return cp.where(v > 0.04045, cp.power((v + 0.055) / 1.055, 2.4), v / 12.92)


def summed(light, weights=(0.2126, 0.7152, 0.0722)):
    return sum(weight * light[:, :, place] for place, weight in enumerate(weights)).astype("f4")


@right("light")
def colour_by_colour(photo):
    out = cp.zeros(photo.shape[:2], dtype=cp.float32)
    for place, weight in enumerate((0.2126, 0.7152, 0.0722)):
        out += weight * bent(photo[:, :, place] / 255)
    return out


@right("light")
def with_masks(photo):
    v = cp.asarray(photo, dtype="f8") / 255
    dark = v <= 0.04045
    v[dark] /= 12.92
    v[~dark] = ((v[~dark] + 0.055) / 1.055) ** 2.4
    return cp.einsum("ijc,c->ij", v, cp.array([0.2126, 0.7152, 0.0722])).astype(cp.float32)


KEPT = {}


def kept(name, result):
    """What is computed goes into an array that was made for the first result of this shape."""
    out = KEPT.setdefault((name, result.shape), cp.empty_like(result))
    out[...] = result
    return out


@wrong("light", "reused")
def into_the_same_array(photo):
    return kept("light", colour_by_colour(photo))


@wrong("light", "overflow")
def summed_as_they_are(photo):
    red, green, blue = photo[:, :, 0], photo[:, :, 1], photo[:, :, 2]
    return bent((red + green + blue) / 765).astype("f4")


@wrong("light", "nonlinear")
def grey_then_light(photo):
    return bent(summed(photo / 255)).astype("f4")


@wrong("light", "nonlinear")
def just_weights(photo):
    return summed(photo / np.float32(255))


@wrong("light", "border")
def all_bent(photo):
    return summed(((photo / 255 + 0.055) / 1.055) ** 2.4)


@wrong("light", "weights")
def plain_mean(photo):
    return bent(photo / 255).mean(axis=2).astype("f4")


@wrong("light", "order")
def as_opencv_has_it(photo):
    return summed(bent(photo[:, :, ::-1] / 255))


@wrong("light", "divisor")
def by_a_power_of_two(photo):
    return summed(bent(photo.astype("f4") / 256))


@wrong("light", "dtype")
def not_narrowed(photo):
    return bent(photo / 255) @ cp.array([0.2126, 0.7152, 0.0722])


@wrong("light", "host")
def brought_back(photo):
    return cp.asnumpy(colour_by_colour(photo))


@wrong("light", "shape")
def all_three(photo):
    return bent(photo / 255).astype("f4")


@wrong("light", "aliasing")
def darkest_first(photo):
    out = colour_by_colour(photo)
    photo[photo < 11] = 0
    return out


def test_white_is_one_and_middle_grey_a_fifth():
    grey = np.repeat(np.array([[0, 128, 255]], np.uint8)[..., None], 3, axis=2)
    np.testing.assert_allclose(lights.light(grey)[0], [0, 0.2158605, 1], rtol=1e-6)


# ---- capstone.days ----


def filled(profile):
    usual = cp.nanmean(profile, axis=0, keepdims=True)
    gaps = cp.isnan(profile)
    return cp.where(gaps, cp.broadcast_to(usual, profile.shape), profile)


def decomposed(x, k):
    u, s, vt = cp.linalg.svd(x, full_matrices=False)
    shapes, power = vt[:k].copy(), cp.square(s)
    shapes[shapes.sum(axis=1) < 0] *= -1
    return shapes, power[:k] / power.sum()


@right("days")
def centred_then_zero(profile, k):
    return decomposed(cp.nan_to_num(profile - cp.nanmean(profile, axis=0)), k)


@right("days")
def hour_by_hour(profile, k):
    columns = []
    for hour in profile.T:
        known = hour[~cp.isnan(hour)]
        columns.append(cp.where(cp.isnan(hour), 0.0, hour - known.mean()))
    shapes, share = decomposed(cp.stack(columns, axis=1), k)
    return [shapes, share]


@wrong("days", "reused")
def shapes_in_the_same_array(profile, k):
    shapes, share = hour_by_hour(profile, k)
    return kept("days", shapes), share


@wrong("days", "centring")
def as_it_is(profile, k):
    return decomposed(filled(profile), k)


@wrong("days", "centring")
def one_mean(profile, k):
    x = filled(profile)
    return decomposed(x - cp.mean(x), k)


@wrong("days", "axis")
def each_day_for_itself(profile, k):
    x = filled(profile)
    return decomposed((x.T - x.mean(axis=1)).T, k)


@wrong("days", "nulls")
def on_time_where_nobody_left(profile, k):
    x = cp.nan_to_num(profile)
    return decomposed(x - x.mean(axis=0), k)


@wrong("days", "nulls")
def on_time_and_whatever_sign(profile, k):
    x = cp.nan_to_num(profile)
    _, s, vt = cp.linalg.svd(x - x.mean(axis=0), full_matrices=False)
    return vt[:k], s[:k] ** 2 / (s**2).sum()


@wrong("days", "nulls")
def the_days_own_mean(profile, k):
    x = cp.where(cp.isnan(profile), cp.nanmean(profile, axis=1)[:, None], profile)
    return decomposed(x - x.mean(axis=0), k)


@wrong("days", "squared")
def plain_shares(profile, k):
    x = filled(profile)
    shapes, _ = decomposed(x - x.mean(axis=0), k)
    s = cp.linalg.svd(x - x.mean(axis=0), compute_uv=False)
    return shapes, s[:k] / s.sum()


@wrong("days", "divisor")
def of_what_was_kept(profile, k):
    shapes, share = centred_then_zero(profile, k)
    return shapes, share / share.sum()


@wrong("days", "sign")
def first_hour_positive(profile, k):
    shapes, share = centred_then_zero(profile, k)
    return -shapes, share


@wrong("days", "shape")
def in_columns(profile, k):
    shapes, share = centred_then_zero(profile, k)
    return shapes.T, share


@wrong("days", "host")
def with_numpy(profile, k):
    return tuple(each.get() for each in centred_then_zero(profile, k))


@wrong("days", "type")
def with_the_values(profile, k):
    x = filled(profile)
    return (*centred_then_zero(profile, k), cp.linalg.svd(x, compute_uv=False))


@wrong("days", "dtype")
def half_as_wide(profile, k):
    return decomposed(cp.nan_to_num(profile - cp.nanmean(profile, axis=0)).astype("f4"), k)


@wrong("days", "aliasing")
def mends_the_profile(profile, k):
    profile -= cp.nanmean(profile, axis=0)
    return decomposed(cp.nan_to_num(profile), k)


# ---- capstone.patches ----


def cut(picture, p):
    high, wide = picture.shape[0] // p, picture.shape[1] // p
    rows = [picture[r * p : r * p + p, c * p : c * p + p].ravel() for r in range(high) for c in range(wide)]
    return cp.stack(rows), high, wide


def put_together(rows, high, wide, p):
    out = cp.empty((high * p, wide * p), dtype=rows.dtype)
    for place, row in enumerate(rows):
        r, c = divmod(place, wide)
        out[r * p : r * p + p, c * p : c * p + p] = row.reshape(p, p)
    return out


def projected(x, k, centre=None):
    mean = x.mean(axis=0) if centre is None else centre
    u, s, vt = cp.linalg.svd(x - mean, full_matrices=False)
    return (x - mean) @ vt[:k].T @ vt[:k] + mean, cp.square(s)


def each_tile(picture, p, k, centre=None):
    x, high, wide = cut(picture, p)
    rebuilt, power = projected(x, k, None if centre is None else centre(x))
    return put_together(rebuilt, high, wide, p), power[:k] / power.sum()


@right("patches")
def tile_by_tile(picture, p, k):
    return each_tile(picture, p, k)


@right("patches")
def with_swapped_axes(picture, p, k):
    n, m = (size - size % p for size in picture.shape)
    x = cp.swapaxes(picture[:n, :m].reshape(-1, p, m // p, p), 1, 2).reshape(-1, p**2)
    rebuilt, power = projected(x, k)
    whole = cp.swapaxes(rebuilt.reshape(n // p, m // p, p, p), 1, 2).reshape(n, m)
    return whole, power[:k] / cp.sum(power)


@wrong("patches", "reused")
def tiles_in_the_same_array(picture, p, k):
    rebuilt, share = each_tile(picture, p, k)
    return kept("patches", rebuilt), share


@wrong("patches", "value")
def never_above_white(picture, p, k):
    rebuilt, share = each_tile(picture, p, k)
    return cp.minimum(rebuilt, 1), share


@wrong("patches", "paired")
def as_it_lies_in_memory(picture, p, k):
    n, m = (size - size % p for size in picture.shape)
    rebuilt, power = projected(cp.ascontiguousarray(picture[:n, :m]).reshape(-1, p * p), k)
    return rebuilt.reshape(n, m), power[:k] / power.sum()


@wrong("patches", "transposed")
def columns_first(picture, p, k):
    x, high, wide = cut(picture, p)
    rebuilt, power = projected(x, k)
    rebuilt = cp.stack([row.reshape(p, p).T.ravel() for row in rebuilt])
    return put_together(rebuilt, high, wide, p), power[:k] / power.sum()


@wrong("patches", "offset")
def without_the_mean(picture, p, k):
    x, high, wide = cut(picture, p)
    rebuilt, power = projected(x, k)
    return put_together(rebuilt - x.mean(axis=0), high, wide, p), power[:k] / power.sum()


@wrong("patches", "centring")
def not_centred(picture, p, k):
    return each_tile(picture, p, k, centre=lambda x: cp.zeros(p * p, "f4"))


@wrong("patches", "axis")
def each_ones_mean(picture, p, k):
    return each_tile(picture, p, k, centre=lambda x: x.mean(axis=1)[:, None])


@wrong("patches", "squared")
def roots(picture, p, k):
    x, high, wide = cut(picture, p)
    rebuilt, power = projected(x, k)
    return put_together(rebuilt, high, wide, p), cp.sqrt(power[:k]) / cp.sqrt(power).sum()


@wrong("patches", "divisor")
def to_one(picture, p, k):
    rebuilt, share = each_tile(picture, p, k)
    return rebuilt, share / share.sum()


@wrong("patches", "direction")
def last_ones(picture, p, k):
    x, high, wide = cut(picture, p)
    mean = x.mean(axis=0)
    u, s, vt = cp.linalg.svd(x - mean, full_matrices=False)
    first = len(s) - k
    rebuilt = put_together((u[:, first:] * s[first:]) @ vt[first:] + mean, high, wide, p)
    return rebuilt, s[first:] ** 2 / (s**2).sum()


@wrong("patches", "shape")
def in_its_old_frame(picture, p, k):
    rebuilt, share = each_tile(picture, p, k)
    whole = picture.copy()
    whole[: rebuilt.shape[0], : rebuilt.shape[1]] = rebuilt
    return whole, share


@wrong("patches", "host")
def fetched(picture, p, k):
    rebuilt, share = each_tile(picture, p, k)
    return rebuilt.get(), share


@wrong("patches", "dtype")
def wide_numbers(picture, p, k):
    return each_tile(picture.astype("f8"), p, k)


@wrong("patches", "type")
def in_a_dict(picture, p, k):
    return dict(zip(("rebuilt", "share"), each_tile(picture, p, k), strict=True))


@wrong("patches", "aliasing")
def into_the_picture(picture, p, k):
    rebuilt, share = each_tile(picture, p, k)
    picture[: rebuilt.shape[0], : rebuilt.shape[1]] = rebuilt
    return rebuilt, share


def test_all_eigen_tiles_give_the_picture_back():
    picture = tiles.scene(12, 15, 7)
    rebuilt, share = tiles.patches(picture, 3, 9)
    np.testing.assert_allclose(rebuilt, picture, atol=1e-6)
    assert share.sum() == pytest.approx(1) and (np.diff(share) <= 0).all()


# ---- all ----


test_another_wrong_answer_is_refused_for_its_reason, test_another_right_answer_is_accepted = SECOND.tests()


def test_each_reason_is_met_by_a_second_answer():
    assert not {(problem, reason) for problem, reason in SECOND.absent() if problem.partition(".")[2] in HERE}
