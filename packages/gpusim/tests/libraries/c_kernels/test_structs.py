"""Structs in CUDA C++: arrays of them, nested ones, in registers, to and from functions, in shared memory, by value.

Each kernel is C++ for NVRTC, too: `compiler_sweep` asks it about the lines of `cpp_lines`, which are made of the same parts.
"""

import numpy as np
import pytest

from gpusim.importing.errors import NotSimulatedError
from gpusim.kernels.faults import TraceError

BODY = np.dtype([("x", "f4"), ("y", "f4"), ("mass", "f8"), ("id", "i4")], align=True)
NESTED = np.dtype(
    [("tag", "i1"), ("place", np.dtype([("x", "f4"), ("y", "f4")], align=True)), ("v", "f4", (3,)), ("n", "i8")],
    align=True,
)
STRUCTS = """
struct Body { float x, y; double mass; int id; };
struct Point { float x; float y; };
typedef struct { signed char tag; Point place; float v[3]; long long n; } Nested;
"""


def bodies(n):
    made = np.zeros(n, BODY)
    made["x"], made["y"], made["mass"], made["id"] = np.arange(n), 2, np.arange(n) / 4, np.arange(n) * 10
    return made


def run(cp, code, *args, threads=8, blocks=1, **options):
    cp.RawKernel(STRUCTS + f'extern "C" __global__ void k({code}', "k")((blocks,), (threads,), args, **options)


def test_members_of_an_array_of_structs(cp, backend):
    data = bodies(8)
    there = cp.asarray(data)
    code = """Body* b, int n) {
      int i = threadIdx.x;
      if (i < n) { b[i].x += 1; b[i].mass = b[i].x * b[i].id; (*(b + i)).y = -b[i].y; (b + i)->id--; }
    }"""
    run(cp, code, there, np.int32(6))
    data["x"][:6] += 1
    data["mass"][:6] = data["x"][:6] * data["id"][:6]
    data["y"][:6] *= -1
    data["id"][:6] -= 1
    assert (there.get() == data).all()


def test_nested_structs_and_arrays_in_them(cp, backend):
    data = np.zeros(4, NESTED)
    data["place"]["x"] = [1, 2, 3, 4]
    there = cp.asarray(data)
    code = """Nested* p) {
      int i = threadIdx.x;
      p[i].place.y = p[i].place.x * 2;
      for (int k = 0; k < 3; ++k) p[i].v[k] = k + p[i].place.x;
      p[i].tag = i; p[i].n = sizeof(Nested);
    }"""
    run(cp, code, there, threads=4)
    found = there.get()
    assert found["place"]["y"].tolist() == [2, 4, 6, 8] and found["v"][1].tolist() == [2, 3, 4]
    assert found["tag"].tolist() == [0, 1, 2, 3] and set(found["n"]) == {NESTED.itemsize}


def test_in_registers(cp, backend):
    data = bodies(8)
    there = cp.asarray(data)
    code = """Body* b) {
      int i = threadIdx.x;
      Body a = b[i], zero, one = {1, 2.5f, 3};
      Body two{4};
      const Body last = b[7];
      a.x += one.x + two.x + zero.x; a.mass = last.mass; a.id = one.id + 1;
      Body c = a; c.y = one.y;
      if (i > 0 && i < 7) b[i] = i == 2 ? last : c;
    }"""
    run(cp, code, there)
    found = there.get()
    assert found[0] == data[0] and found[2] == data[7]
    assert (
        found["x"][3] == 3 + 5 and found["mass"][3] == data["mass"][7] and found["id"][3] == 1 and found["y"][3] == 2.5
    )


def test_structs_with_arrays_in_variables(cp, backend):
    there = cp.asarray(np.zeros(2, NESTED))
    code = """Nested* p) {
      Nested a = {7, {1, 2}, {3, 4, 5}, 6};
      for (int k = 0; k < 3; ++k) a.v[k] *= 2;
      p[threadIdx.x] = a;
    }"""
    run(cp, code, there, threads=2)
    found = there.get()[1]
    assert (
        found["v"].tolist() == [6, 8, 10] and found["place"].tolist() == (1, 2) and (found["tag"], found["n"]) == (7, 6)
    )


def test_functions_take_and_return_them(cp, backend):
    there = cp.asarray(bodies(8))
    out = cp.zeros(8, "f8")
    before = """
    __device__ double energy(Body b) { b.mass *= 2; return b.mass * b.x; }
    __device__ Body moved(const Body& b, float by) { Body r = b; r.x += by; return r; }
    __device__ void marked(Body& b, int id) { b.id = id; }
    __device__ void heavier(Body* b, int i) { b[i].mass += 1; }
    __device__ Point point(float x) { return {x, x + 1}; }
    __device__ Point other(float x) { return Point{x, 2 * x}; }
    __device__ float raise(float &x) { x += 0.5f; return x; }
    """
    code = STRUCTS + before + """extern "C" __global__ void k(Body* b, double* out) {
      int i = threadIdx.x;
      heavier(b, i);
      Body m = moved(b[i], 3);
      marked(m, i + 100); marked(b[i], i + 50);
      raise(m.x); raise(b[i].y);
      out[i] = energy(m) + point(1.0f).y + other(2).y + m.id + energy(b[i]) * 0;
    }"""  # fmt: skip
    cp.RawKernel(code, "k")((1,), (8,), (there, out))
    start = bodies(8)
    assert np.allclose(out.get(), (start["mass"] + 1) * 2 * (start["x"] + 3.5) + 2 + 4 + np.arange(8) + 100)
    found = there.get()
    assert (
        found["id"].tolist() == [*range(50, 58)]
        and (found["y"] == 2.5).all()
        and (found["mass"] == start["mass"] + 1).all()
    )


def test_templates_take_them(cp, backend):
    there = cp.asarray(bodies(4))
    code = STRUCTS + """
    template<class T> __device__ T largest(const T* p, int n) { T best = p[0]; for (int k = 1; k < n; ++k) if (p[k].x > best.x) best = p[k]; return best; }
    template<typename T> __device__ void swapped(T& a, T& b) { T t = a; a = b; b = t; }
    extern "C" __global__ void k(Body* b) {
      if (threadIdx.x == 0) { swapped(b[0], b[3]); b[1] = largest(b, 4); }
    }"""  # fmt: skip
    cp.RawKernel(code, "k")((1,), (4,), (there,))
    assert there.get()["x"].tolist() == [3, 3, 2, 0]


@pytest.mark.parametrize("extern", [False, True])
def test_in_shared_memory(cp, backend, extern):
    there = cp.asarray(bodies(8))
    declared = "extern __shared__ Body s[];" if extern else "__shared__ Body s[8];"
    code = f"""Body* b) {{
      {declared}
      int i = threadIdx.x;
      s[i] = b[i]; s[i].id += 1;
      __syncthreads();
      b[i] = s[7 - i];
    }}"""
    run(cp, code, there, shared_mem=8 * BODY.itemsize if extern else 0)
    found, before = there.get(), bodies(8)
    assert (
        found["x"].tolist() == before["x"][::-1].tolist() and found["id"].tolist() == (before["id"][::-1] + 1).tolist()
    )


def test_atomics_of_members(cp, backend):
    there = cp.asarray(bodies(2))
    run(
        cp,
        "Body* b) { atomicAdd(&b[1].id, 1); atomicAdd(&(b + 1)->x, 0.5f); atomicMax(&b->id, (int)threadIdx.x); }",
        there,
        threads=64,
    )
    found = there.get()
    assert found["id"].tolist() == [63, 74] and found["x"][1] == 33


def test_by_value_as_an_argument(cp, backend):
    given = np.zeros((), NESTED)
    given["tag"], given["place"]["y"], given["v"], given["n"] = 3, 2.5, [1, 2, 4], 2**40
    out = cp.zeros(4, "f8")
    code = "const Nested a, double* out) { out[0] = a.tag; out[1] = a.place.y; out[2] = a.v[2]; out[3] = a.n; }"
    run(cp, code, given, out, threads=1)
    assert out.get().tolist() == [3, 2.5, 4, 2**40]
    point = np.zeros(1, NESTED["place"])
    point["x"] = 5
    for each in (point, point[0]):
        run(cp, "Point a, double* out) { a.y = a.x + 1; out[0] = a.y; }", each, out, threads=1)
        assert out.get()[0] == 6


def test_variables_of_the_module(cp):
    code = (
        STRUCTS
        + """__constant__ Point origin; __device__ Body table[3];
    extern "C" __global__ void k(double* out) { out[0] = origin.x + table[1].mass; table[2].id = 7; }"""
    )
    module = cp.RawModule(code=code)
    out = cp.zeros(1)
    kernel = module.get_function("k")
    table = cp.ndarray(3, BODY, module.get_global("table"))
    table[...] = cp.asarray(bodies(3))
    kernel((1,), (1,), (out,))
    assert out.get()[0] == 0.25 and table.get()["id"].tolist() == [0, 10, 7]


def test_the_layout_is_that_of_c(cp):
    lines = ["sizeof(Body)", "sizeof(Nested)", "sizeof(Point)", "sizeof(Wide)", "sizeof(Small[3])", "sizeof(o[0])"]
    more = "struct __align__(16) Wide { float x; };\nstruct Small { char c; short h; };\n"
    stores = " ".join(f"o[{k}] = {line};" for k, line in enumerate(lines))
    out = cp.zeros(len(lines), "i8")
    cp.RawKernel(f'{STRUCTS}{more}extern "C" __global__ void k(long long* o) {{ {stores} }}', "k")((1,), (1,), (out,))
    assert out.get().tolist() == [BODY.itemsize, NESTED.itemsize, 8, 16, 12, 8]


def test_records_that_lie_otherwise_are_refused(cp):
    packed = np.zeros(4, np.dtype([("x", "f4"), ("y", "f4"), ("mass", "f8"), ("id", "i4")]))
    kernel = cp.RawKernel(STRUCTS + 'extern "C" __global__ void k(Body* b) { b[0].id = 1; }', "k")
    with pytest.raises(TypeError, match="24 bytes: .*int32 at 16. The records have 20"):
        kernel((1,), (1,), (cp.asarray(packed),))
    renamed = cp.asarray(np.zeros(4, np.dtype([("a", "f4"), ("b", "f4"), ("c", "f8"), ("d", "i4")], align=True)))
    kernel((1,), (1,), (renamed,))
    assert renamed.get()["d"].tolist() == [1, 0, 0, 0]
    raw = cp.zeros(4 * BODY.itemsize, "u1")
    kernel((1,), (1,), (raw,))
    assert raw.get().view(BODY)["id"].tolist() == [1, 0, 0, 0]


def test_past_the_end_and_races_are_found(cp, monkeypatch):
    monkeypatch.setenv("GPUSIM_TRACE", "first")
    there = cp.asarray(bodies(8))
    with pytest.raises(IndexError):
        run(cp, "Body* b) { b[threadIdx.x + 1].id = 1; }", there)
    with pytest.raises(TraceError):
        run(cp, "Body* b) { b[0].id += threadIdx.x; }", there)
    with pytest.raises(TraceError):
        run(cp, "Nested* p) { p[0].v[1] += threadIdx.x; }", cp.asarray(np.zeros(2, NESTED)))
    with pytest.raises(TraceError):
        run(cp, "Nested* p) { p[0].place.y += threadIdx.x; }", cp.asarray(np.zeros(2, NESTED)))
    run(cp, "Body* b) { if (threadIdx.x == 0) b[0].id = 1; else if (threadIdx.x == 1) b[0].x = 2; }", there)


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("struct P { float x[2][2] = {{1}}; };", "an array of several dimensions"),
        ("struct P { float* x; };", "a pointer in a struct"),
        ("struct P { int a : 3; };", "a bit field"),
        ("struct P { struct Q { int a; } b; };", "a struct within a struct"),
        ("struct P { int a; };\n__device__ int f(P* p) { int* q = &p[0].a; return q[1]; }", "a pointer to a member"),
    ],
)
def test_what_is_not_simulated_is_refused_by_name(cp, code, what):
    use = "f((P*)0);" if "f(P*" in code else ""
    with pytest.raises(NotSimulatedError, match=what):
        cp.RawKernel(f'{code}\nextern "C" __global__ void k(float* x) {{ {use} }}', "k").compile()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("b[0].z = 1;", 'has no member "z"'),
        ("b[0] = 1;", "cannot be used to initialize"),
        ("Point p; p = b[0];", "cannot be used to initialize"),
        ("float f = b[0];", "cannot be used to initialize"),
        ("b[0] + b[1];", 'no operator "\\+"'),
        ("const Body* c = b; c[0].x = 1;", "modifiable lvalue"),
        ("const Body c = b[0]; c.x = 1;", "modifiable lvalue"),
        ("Point p = {1, 2, 3};", "too many initializer values"),
        ("if (b[0]) b[0].x = 1;", "condition"),
        ("Missing m;", "syntax error|undefined"),
    ],
)
def test_what_the_compiler_refuses(cp, body, said):
    from cupy.cuda.compiler import CompileException

    with pytest.raises(CompileException, match=said):
        cp.RawKernel(STRUCTS + f'extern "C" __global__ void k(Body* b) {{ {body} }}', "k").compile()
