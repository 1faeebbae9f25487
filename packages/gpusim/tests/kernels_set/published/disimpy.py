"""Kernels of Disimpy 0.3.0, diffusion magnetic resonance by random walks (disimpy/simulations.py), as published.

Copyright (c) 2020 Leevi Kerkelä.  MIT; the notice is in ../LICENCES.md.  The functions stand here unchanged.
"""

# fmt: off
# ruff: noqa
import math

import numba
import numpy as np
from numba import cuda
from numba.cuda.random import xoroshiro128p_normal_float64, xoroshiro128p_uniform_float64

GAMMA = 267.513e6


@cuda.jit(device=True)
def _cuda_dot_product(a, b):
    """Calculate the dot product between two 1D arrays of length 3.

    Parameters
    ----------
    a : numba.cuda.cudadrv.devicearray.DeviceNDArray
    b : numba.cuda.cudadrv.devicearray.DeviceNDArray

    Returns
    -------
    float
    """
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@cuda.jit(device=True)
def _cuda_cross_product(a, b, c):
    """Calculate the cross product between two 1D arrays of length 3.

    Parameters
    ----------
    a : numba.cuda.cudadrv.devicearray.DeviceNDArray
    b : numba.cuda.cudadrv.devicearray.DeviceNDArray
    c : numba.cuda.cudadrv.devicearray.DeviceNDArray

    Returns
    -------
    None
    """
    c[0] = a[1] * b[2] - a[2] * b[1]
    c[1] = a[2] * b[0] - a[0] * b[2]
    c[2] = a[0] * b[1] - a[1] * b[0]
    return


@cuda.jit(device=True)
def _cuda_normalize_vector(v):
    """Scale 1D array of length 3 so that it has unit length.

    Parameters
    ----------
    v : numba.cuda.cudadrv.devicearray.DeviceNDArray

    Returns
    -------
    None
    """
    length = math.sqrt(_cuda_dot_product(v, v))
    for i in range(3):
        v[i] = v[i] / length
    return


@cuda.jit(device=True)
def _cuda_random_step(step, rng_states, thread_id):
    """Generate a random step from a uniform distribution over a sphere.

    Parameters
    ----------
    step : numba.cuda.cudadrv.devicearray.DeviceNDArray
    rng_states : numba.cuda.cudadrv.devicearray.DeviceNDArray
    thread_id : int

    Returns
    -------
    None
    """
    for i in range(3):
        step[i] = xoroshiro128p_normal_float64(rng_states, thread_id)
    _cuda_normalize_vector(step)
    return


@cuda.jit(device=True)
def _cuda_line_sphere_intersection(r0, step, radius):
    """Calculate the distance from r0 to a sphere centered at origin along
    step. r0 must be inside the sphere.

    Parameters
    ----------
    r0 : numba.cuda.cudadrv.devicearray.DeviceNDArray
    step : numba.cuda.cudadrv.devicearray.DeviceNDArray
    radius : float

    Returns
    -------
    float
    """
    dp = _cuda_dot_product(step, r0)
    d = -dp + math.sqrt(dp ** 2 - (_cuda_dot_product(r0, r0) - radius ** 2))
    return d


@cuda.jit(device=True)
def _cuda_get_triangle(i, vertices, faces, triangle):
    """Get the ith triangle from vertices and faces arrays.

    Parameters
    ----------
    i : int
    vertices : numba.cuda.cudadrv.devicearray.DeviceNDArray
    faces : numba.cuda.cudadrv.devicearray.DeviceNDArray
    triangle : numba.cuda.cudadrv.devicearray.DeviceNDArray

    Returns
    -------
    None
    """
    for a in range(3):
        for b in range(3):
            triangle[a, b] = vertices[faces[i, a], b]
    return


@cuda.jit(device=True)
def _cuda_ray_triangle_intersection_check(triangle, r0, step):
    """Check if a ray defined by r0 and step intersects with a triangle defined
    by A, B, and C. The output is the distance in units of step length from r0
    to intersection if intersection found, nan otherwise. This function is
    based on the Moller-Trumbore algorithm.

    Parameters
    ----------
    triangle : numba.cuda.cudadrv.devicearray.DeviceNDArray
    r0 : numba.cuda.cudadrv.devicearray.DeviceNDArray
    step : numba.cuda.cudadrv.devicearray.DeviceNDArray

    Returns
    -------
    float or nan
    """
    A = triangle[0]
    B = triangle[1]
    C = triangle[2]
    T = cuda.local.array(3, numba.float64)
    E_1 = cuda.local.array(3, numba.float64)
    E_2 = cuda.local.array(3, numba.float64)
    P = cuda.local.array(3, numba.float64)
    Q = cuda.local.array(3, numba.float64)
    for i in range(3):
        T[i] = r0[i] - A[i]
        E_1[i] = B[i] - A[i]
        E_2[i] = C[i] - A[i]
    _cuda_cross_product(step, E_2, P)
    _cuda_cross_product(T, E_1, Q)
    det = _cuda_dot_product(P, E_1)
    if det != 0:
        t = 1 / det * _cuda_dot_product(Q, E_2)
        u = 1 / det * _cuda_dot_product(P, T)
        v = 1 / det * _cuda_dot_product(Q, step)
        if u >= 0 and u <= 1 and v >= 0 and v <= 1 and u + v <= 1:
            return t
        else:
            return np.nan
    else:
        return np.nan


@numba.jit(nopython=True)
def _cuda_reflection(r0, step, d, normal, epsilon):
    """Calculate reflection and update r0 and step. Epsilon is the amount by
    which the new position differs from the reflection point.

    Parameters
    ----------
    r0 : numba.cuda.cudadrv.devicearray.DeviceNDArray
    step : numba.cuda.cudadrv.devicearray.DeviceNDArray
    d : float
    normal : numba.cuda.cudadrv.devicearray.DeviceNDArray
    semiaxes : numba.cuda.cudadrv.devicearray.DeviceNDArray
    epsilon : float

    Returns
    -------
    float
    """
    intersection = cuda.local.array(3, numba.float64)
    v = cuda.local.array(3, numba.float64)
    for i in range(3):
        intersection[i] = r0[i] + d * step[i]
        v[i] = intersection[i] - r0[i]
    dp = _cuda_dot_product(v, normal)
    if dp > 0:  # Make sure the normal vector points against the step
        for i in range(3):
            normal[i] *= -1
        dp = _cuda_dot_product(v, normal)
    for i in range(3):
        step[i] = (v[i] - 2 * dp * normal[i] + intersection[i]) - intersection[i]
    _cuda_normalize_vector(step)
    for i in range(3):  # Move walker slightly away from the surface
        r0[i] = intersection[i] + epsilon * normal[i]
    return


@cuda.jit(device=True)
def _ll_subvoxel_overlap(xs, x1, x2):
    """For an interval [x1, x2], return the index of the lower limit of the
    overlapping subvoxels whose borders are defined by the elements of xs."""
    xmin = min(x1, x2)
    if xmin <= xs[0]:
        return 0
    elif xmin >= xs[-1]:
        ll = len(xs) - 1
        return ll
    else:
        for i, x in enumerate(xs):
            if x > xmin:
                ll = i - 1
                return ll
        ll = 0
        return ll


@cuda.jit(device=True)
def _ul_subvoxel_overlap(xs, x1, x2):
    """For an interval [x1, x2], return the index of the upper limit of the
    overlapping subvoxels whose borders are defined by the elements of xs."""
    xmax = max(x1, x2)
    if xmax >= xs[-1]:
        return len(xs) - 1
    elif xmax <= xs[0]:
        ul = 0
        return ul
    else:
        for i, x in enumerate(xs):
            if not x < xmax:
                ul = i
                return ul
        ul = len(xs) - 1
        return ul


@cuda.jit()
def _cuda_step_free(positions, g_x, g_y, g_z, phases, rng_states, t, step_l, dt):
    """Kernel function for free diffusion."""
    thread_id = cuda.grid(1)
    if thread_id >= positions.shape[0]:
        return
    step = cuda.local.array(3, numba.float64)
    _cuda_random_step(step, rng_states, thread_id)
    for i in range(3):
        positions[thread_id, i] = positions[thread_id, i] + step[i] * step_l
    for m in range(g_x.shape[0]):
        phases[m, thread_id] += (
            GAMMA
            * dt
            * (
                (g_x[m, t] * positions[thread_id, 0])
                + (g_y[m, t] * positions[thread_id, 1])
                + (g_z[m, t] * positions[thread_id, 2])
            )
        )
    return


@cuda.jit()
def _cuda_step_sphere(
    positions,
    g_x,
    g_y,
    g_z,
    phases,
    rng_states,
    t,
    step_l,
    dt,
    radius,
    iter_exc,
    max_iter,
    epsilon,
):
    """Kernel function for diffusion inside a sphere."""
    thread_id = cuda.grid(1)
    if thread_id >= positions.shape[0]:
        return
    step = cuda.local.array(3, numba.float64)
    _cuda_random_step(step, rng_states, thread_id)
    r0 = positions[thread_id, :]
    iter_idx = 0
    check_intersection = True
    while check_intersection and step_l > 0 and iter_idx < max_iter:
        iter_idx += 1
        d = _cuda_line_sphere_intersection(r0, step, radius)
        if d > 0 and d < step_l:
            normal = cuda.local.array(3, numba.float64)
            for i in range(3):
                normal[i] = -(r0[i] + d * step[i])
            _cuda_normalize_vector(normal)
            _cuda_reflection(r0, step, d, normal, epsilon)
            step_l -= d + epsilon
        else:
            check_intersection = False
    if iter_idx >= max_iter:
        iter_exc[thread_id] = True
    for i in range(3):
        positions[thread_id, i] = r0[i] + step[i] * step_l
    for m in range(g_x.shape[0]):
        phases[m, thread_id] += (
            GAMMA
            * dt
            * (
                (g_x[m, t] * positions[thread_id, 0])
                + (g_y[m, t] * positions[thread_id, 1])
                + (g_z[m, t] * positions[thread_id, 2])
            )
        )
    return


@cuda.jit()
def _cuda_fill_mesh(
    points,
    rng_states,
    intra,
    vertices,
    faces,
    voxel_size,
    triangle_indices,
    subvoxel_indices,
    xs,
    ys,
    zs,
    n_sv,
):
    """Kernel function for efficiently sampling points from a uniform
    distribution inside or outside the surface defined by the triangular
    mesh."""

    thread_id = cuda.grid(1)
    if thread_id >= points.shape[0] or points[thread_id, 0] != math.inf:
        return

    point = cuda.local.array(3, numba.float64)
    for i in range(3):
        point[i] = xoroshiro128p_uniform_float64(rng_states, thread_id) * voxel_size[i]
    ray = cuda.local.array(3, numba.float64)
    ray[0] = 1.0
    ray[1] = 0.0
    ray[2] = 0.0

    # Find the subvoxels the ray intersects
    lls = cuda.local.array(3, numba.int64)
    uls = cuda.local.array(3, numba.int64)
    lls[0] = _ll_subvoxel_overlap(xs, point[0], point[0] + ray[0])
    lls[1] = _ll_subvoxel_overlap(ys, point[1], point[1] + ray[1])
    lls[2] = _ll_subvoxel_overlap(zs, point[2], point[2] + ray[2])
    uls[0] = _ul_subvoxel_overlap(xs, point[0], point[0] + ray[0])
    uls[1] = _ul_subvoxel_overlap(ys, point[1], point[1] + ray[1])
    uls[2] = _ul_subvoxel_overlap(zs, point[2], point[2] + ray[2])

    # Keep track of the number of intersections and the triangles. The max
    # number of intersections allowed is 1000. Increase this number for very
    # complex meshes.
    n_intersections = 0
    triangle = cuda.local.array((3, 3), numba.float64)
    triangles = cuda.local.array(1000, numba.int64)

    # Loop over the subvoxels
    for x in range(lls[0], uls[0]):
        for y in range(lls[1], uls[1]):
            for z in range(lls[2], uls[2]):
                sv = int(x * n_sv[1] * n_sv[2] + y * n_sv[2] + z)

                # Loop over the triangles
                for i in range(subvoxel_indices[sv, 0], subvoxel_indices[sv, 1]):

                    if n_intersections >= 1000:
                        return

                    _cuda_get_triangle(triangle_indices[i], vertices, faces, triangle)
                    d = _cuda_ray_triangle_intersection_check(triangle, point, ray)

                    if d > 0:
                        already_intersected = False
                        for j in triangles[0:n_intersections]:
                            if j == triangle_indices[i]:
                                already_intersected = True
                                break
                        if not already_intersected:
                            triangles[n_intersections] = triangle_indices[i]
                            n_intersections += 1

    if intra:
        if n_intersections % 2 == 1:  # Point is inside the surface
            for i in range(3):
                points[thread_id, i] = point[i]
    else:
        if n_intersections % 2 == 0:  # Point is outside the surface
            for i in range(3):
                points[thread_id, i] = point[i]
    return
