"""Cooperative groups: tiles of a warp and their members; and half precision, in CUDA's header and in CuPy's kernels."""

import numpy as np
import pytest

from gpusim.kernels.frontend.cuda_cpp.errors import CompileException

GROUPS = "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups;\n"


def run(cp, before, code, out, *args, threads=64, blocks=1, **options):
    kernel = cp.RawKernel(f'{before}\nextern "C" __global__ void k({code}', "k", **options)
    kernel((blocks,), (threads,), (out, *args))
    return out.tolist()


def test_tiles_of_a_warp(cp, backend):
    before = (
        GROUPS
        + """
    __device__ float total(cg::thread_block_tile<32> tile, float v) {
      for (int i = tile.size() / 2; i > 0; i /= 2) v += tile.shfl_down(v, i);
      return v;
    }"""
    )
    code = """float* out, const float* a, int cols) {
      cg::thread_block block = cg::this_thread_block();
      auto tile = cg::tiled_partition<32>(block);
      int row = tile.meta_group_rank();
      float v = 0;
      for (int c = tile.thread_rank(); c < cols; c += tile.size()) v += a[row * cols + c];
      v = total(tile, v);
      if (tile.thread_rank() == 0) out[row] = v;
    }"""
    a = np.arange(100, dtype="f4").reshape(2, 50)
    assert run(cp, before, code, cp.zeros(2, "f4"), cp.asarray(a), 50) == a.sum(1).tolist()


@pytest.mark.parametrize("size", [4, 16, 32])
def test_members_of_tiles(cp, backend, size):
    code = f"""int* out) {{
      cg::thread_block_tile<{size}> t = cg::tiled_partition<{size}>(cg::this_thread_block());
      int i = threadIdx.x, r = t.thread_rank();
      out[i * 8] = r; out[i * 8 + 1] = t.meta_group_rank() * 100 + t.meta_group_size();
      out[i * 8 + 2] = t.shfl(i, 1); out[i * 8 + 3] = t.shfl_up(i, 1); out[i * 8 + 4] = t.shfl_xor(i, 2);
      out[i * 8 + 5] = t.any(i == 5) + 2 * t.all(i < 20); out[i * 8 + 6] = t.ballot(r < 2);
      out[i * 8 + 7] = cg::reduce(t, i, cg::plus<int>()) - cg::reduce(t, i, cg::greater<int>());
      t.sync();
    }}"""
    got = np.array(run(cp, GROUPS, code, cp.zeros((64, 8), "i4")))
    i = np.arange(64)
    r, first = i % size, i - i % size
    tiles = [range(f, f + size) for f in first]
    assert got[:, 0].tolist() == r.tolist()
    assert got[:, 1].tolist() == (i // size * 100 + 64 // size).tolist()
    assert got[:, 2].tolist() == (first + 1).tolist()
    assert got[:, 3].tolist() == np.where(r, i - 1, i).tolist()
    assert got[:, 4].tolist() == (i ^ 2).tolist()
    assert got[:, 5].tolist() == [(5 in t) + 2 * (t[-1] < 20) for t in tiles]
    assert got[:, 6].tolist() == [3] * 64
    assert got[:, 7].tolist() == [sum(t) - max(t) for t in tiles]


def test_groups_that_have_no_name(cp, backend):
    code = """int* out) {
      out[threadIdx.x] = cg::this_thread_block().thread_rank() + cg::this_thread_block().group_index().x;
      cg::this_thread_block().sync();
      if (cg::this_thread_block().thread_rank() == 0) out[63] = cg::this_thread_block().size();
    }"""
    assert run(cp, GROUPS, code, cp.zeros(64, "i4"))[::21] == [0, 21, 42, 64]


HALF = "#include <cuda_fp16.h>\n"


def test_halves(cp, backend):
    code = """__half* y, const __half* x, __half a, float* f, int n) {
      int i = threadIdx.x;
      __shared__ half s[32];
      if (i < n) { s[i] = x[i] * a; }
      __syncthreads();
      if (i < n) {
        float t = __half2float(x[i]) * 0.1f;
        f[i] = (s[i] < x[i]) + sizeof(half);
        y[i] = __hadd(__float2half(t), s[i]) + hsqrt(x[i]) / __hfma(a, a, x[i]);
      }
    }"""
    x = np.array([0.1, 1, 2, 3.3, 1000, 6e-5, 65504], "f2")
    a, half = np.float16(0.3), np.float16
    y, f = cp.zeros(7, "f2"), cp.zeros(7, "f4")
    got = run(cp, HALF, code, y, cp.asarray(x), a, f, 7, threads=32)
    with np.errstate(over="ignore"):
        t = (x.astype("f4") * np.float32(0.1)).astype("f2")
        fused = (a.astype("f8") * a.astype("f8") + x.astype("f8")).astype("f2")
        want = ((t + x * a) + np.sqrt(x.astype("f4")).astype("f2") / fused).astype(half)
    assert got == want.tolist()
    assert f.tolist() == [3.0] * 7


def test_every_half_is_read_and_written_back(cp, backend):
    code = "__half* y, const __half* x, int n) { for (int i = threadIdx.x; i < n; i += 64) { __half h = x[i]; float f = h; y[i] = f; } }"
    x = np.arange(65536, dtype="u2")
    x = x[~np.isnan(x.view("f2"))]
    y = cp.zeros(x.size, "f2")
    run(cp, HALF, code, y, cp.asarray(x.view("f2")), x.size)
    assert (y.get().view("u2") == x).all()


@pytest.mark.large
def test_rounding_to_halves(cp):
    code = "__half* y, const float* x, int n) { for (int i = threadIdx.x; i < n; i += 64) y[i] = __float2half(x[i]); }"
    halves = np.arange(65536, dtype="u2").view("f2")
    halves = np.sort(halves[np.isfinite(halves)]).astype("f4")
    between = (halves[1:] + halves[:-1]) / 2
    x = np.concatenate(
        [halves, between, np.nextafter(between, np.float32(np.inf)), np.float32([65519, 65520, 1e9, -1e9])]
    )
    y = cp.zeros(x.size, "f2")
    run(cp, HALF, code, y, cp.asarray(x), x.size)
    with np.errstate(over="ignore"):
        assert (y.get() == x.astype("f2")).all()


def test_halves_want_their_header_and_no_floats(cp):
    with pytest.raises(CompileException, match="undefined|syntax error"):
        cp.RawKernel('extern "C" __global__ void k(__half* x) { }', "k").compile()
    with pytest.raises(CompileException, match='no operator "\\*"'):
        cp.RawKernel(HALF + 'extern "C" __global__ void k(__half* x) { x[0] = x[0] * 2.0f; }', "k").compile()
    cp.RawKernel('extern "C" __global__ void k(float* x) { int half = 2; x[0] = half; }', "k").compile()


def test_a_variable_of_float16_rounds(cp, backend):
    x = cp.asarray([1, 2, 0.1, 300], "f2")
    kernel = cp.ElementwiseKernel("T x", "T y", "T a = x * x; y = a * x + T(0.1)")
    h = x.get()
    with np.errstate(over="ignore"):
        a = (h.astype("f4") ** 2).astype("f2")
        want = (a.astype("f4") * h.astype("f4") + np.float16(0.1).astype("f4")).astype("f2")
    assert kernel(x).tolist() == want.tolist()
    named = cp.ElementwiseKernel("float16 x", "float16 y", "y = x * x + float16(1)")
    assert named(cp.array([1, 2, 0.5], "f2")).tolist() == [2, 5, 1.25]
