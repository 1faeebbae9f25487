"""The interpreter of PTX by itself: hand-written instructions whose results the *PTX ISA* (9.0) states.

Each case is an instruction with the bits of its inputs and of its result.  ``%r``, ``%rd`` and ``%h`` are registers of 32, 64
and 16 bits, ``%p`` predicates; number 0 takes the result and 1 to 4 have the inputs.
"""

import math
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from ptx import machine, opcodes  # noqa: E402
from ptx.parse import PtxError, parse  # noqa: E402

NAN = 0x7FFFFFFF
U32, U64 = 2**32, 2**64


def f(x):
    """The bits of a float32."""
    return struct.unpack("<I", struct.pack("<f", x))[0]


def d(x):
    """The bits of a float64."""
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def h(x):
    """The bits of a float16."""
    return struct.unpack("<H", struct.pack("<e", x))[0]


def s(x, bits=32):
    """The bits of a signed integer."""
    return x % (1 << bits)


HEADER = ".version 9.0\n.target sm_90\n.address_size 64\n"


def kernel(body, declared="", outside=""):
    """A kernel with the pointers %in and %out, and %i, the number of the thread in its grid."""
    return f"""{HEADER}
{outside}
.visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)
{{
    .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<30>; .reg .b64 %rd<30>; .reg .b64 %in, %out, %at; .reg .b32 %i;
    {declared}
    ld.param.u64 %in, [k_param_0];
    ld.param.u64 %out, [k_param_1];
    mov.u32 %i, %ctaid.x;
    mov.u32 %r29, %ntid.x;
    mov.u32 %r28, %tid.x;
    mad.lo.s32 %i, %i, %r29, %r28;
    {body}
    ret;
}}
"""


def run(text, given=(), size=64, grid=1, block=1, steps=100_000, shared=0):
    """Launch `k` and return the 64-bit words at %out."""
    source = np.array([x % U64 for x in given] or [0], np.uint64).view(np.uint8)
    out = np.zeros(8 * size, np.uint8)
    made = machine.Machine(parse(text), [source, out], steps)
    made.launch("k", (grid, 1, 1), (block, 1, 1), lambda at: [a.to_bytes(8, "little") for a in at], shared)
    run.machine = made
    return out.view(np.uint64)


def one(instruction, *inputs):
    """The result of an instruction, of one thread."""
    body = ""
    for k, _ in enumerate(inputs, 1):
        body += f"ld.global.u64 %rd{k}, [%in+{8 * (k - 1)}]; cvt.u32.u64 %r{k}, %rd{k}; cvt.u16.u64 %h{k}, %rd{k};\n"
        body += f"setp.ne.u64 %p{k}, %rd{k}, 0;\n"
    body += "mov.b64 %rd0, 0; mov.b32 %r0, 0; mov.b16 %h0, 0; setp.ne.u32 %p0, 0, 0;\n" + instruction + "\n"
    name = next(n for n in ("%rd0", "%r0", "%h0", "%p0") if n in instruction)
    body += {
        "%rd0": "mov.b64 %rd20, %rd0;",
        "%r0": "cvt.u64.u32 %rd20, %r0;",
        "%h0": "cvt.u64.u16 %rd20, %h0;",
        "%p0": "selp.b64 %rd20, 1, 0, %p0;",
    }[name]
    return int(run(kernel(body + "st.global.u64 [%out], %rd20;"), inputs)[0])


CASES = [
    # 9.7.1 Integer arithmetic
    ("add.u32 %r0, %r1, %r2;", (U32 - 1, 2), 1),
    ("add.s64 %rd0, %rd1, %rd2;", (2**63 - 1, 1), 2**63),
    ("add.sat.s32 %r0, %r1, %r2;", (2**31 - 1, 1), 2**31 - 1),
    ("sub.sat.s32 %r0, %r1, %r2;", (s(-(2**31)), 1), s(-(2**31))),
    ("sub.u16 %h0, %h1, %h2;", (0, 1), 0xFFFF),
    ("mul.lo.s32 %r0, %r1, %r2;", (s(-3), 5), s(-15)),
    ("mul.hi.u32 %r0, %r1, %r2;", (U32 - 1, U32 - 1), U32 - 2),
    ("mul.hi.s32 %r0, %r1, %r2;", (s(-1), 1), s(-1)),
    ("mul.hi.u64 %rd0, %rd1, %rd2;", (U64 - 1, U64 - 1), U64 - 2),
    ("mul.hi.s64 %rd0, %rd1, %rd2;", (s(-5, 64), 3), s(-1, 64)),
    ("mul.hi.s64 %rd0, %rd1, %rd2;", (2**62, 8), 2),
    ("mul.wide.s32 %rd0, %r1, %r2;", (s(-2), 3), s(-6, 64)),
    ("mul.wide.u32 %rd0, %r1, %r2;", (U32 - 1, 2), 2 * (U32 - 1)),
    ("mul.wide.u16 %r0, %h1, %h2;", (0xFFFF, 0xFFFF), 0xFFFF * 0xFFFF),
    ("mad.lo.u32 %r0, %r1, %r2, %r3;", (7, 6, 5), 47),
    ("mad.hi.u32 %r0, %r1, %r2, %r3;", (2**31, 4, 5), 7),
    ("mad.wide.s32 %rd0, %r1, %r2, %rd3;", (s(-4), 4, 1), s(-15, 64)),
    ("mul24.lo.u32 %r0, %r1, %r2;", (0xFF000003, 5), 15),
    ("mad24.lo.s32 %r0, %r1, %r2, %r3;", (0x00FFFFFF, 5, 1), s(-4)),
    ("sad.u32 %r0, %r1, %r2, %r3;", (3, 10, 100), 107),
    ("sad.s32 %r0, %r1, %r2, %r3;", (s(-3), 4, 1), 8),
    ("div.s32 %r0, %r1, %r2;", (s(-7), 2), s(-3)),
    ("div.s64 %rd0, %rd1, %rd2;", (7, s(-2, 64)), s(-3, 64)),
    ("div.u32 %r0, %r1, %r2;", (U32 - 7, 2), (U32 - 7) // 2),
    ("rem.s32 %r0, %r1, %r2;", (s(-7), 2), s(-1)),
    ("rem.s64 %rd0, %rd1, %rd2;", (7, s(-2, 64)), 1),
    ("rem.u64 %rd0, %rd1, %rd2;", (U64 - 1, 10), (U64 - 1) % 10),
    ("abs.s32 %r0, %r1;", (s(-9),), 9),
    ("neg.s64 %rd0, %rd1;", (9,), s(-9, 64)),
    ("min.s32 %r0, %r1, %r2;", (s(-1), 1), s(-1)),
    ("min.u32 %r0, %r1, %r2;", (U32 - 1, 1), 1),
    ("max.s64 %rd0, %rd1, %rd2;", (s(-1, 64), 1), 1),
    ("max.u64 %rd0, %rd1, %rd2;", (s(-1, 64), 1), U64 - 1),
    ("popc.b32 %r0, %r1;", (0xF0F0,), 8),
    ("popc.b64 %r0, %rd1;", (U64 - 1,), 64),
    ("clz.b32 %r0, %r1;", (1,), 31),
    ("clz.b32 %r0, %r1;", (0,), 32),
    ("clz.b64 %r0, %rd1;", (2**40,), 23),
    ("bfind.u32 %r0, %r1;", (0x8000,), 15),
    ("bfind.s32 %r0, %r1;", (s(-1),), U32 - 1),
    ("bfind.s32 %r0, %r1;", (s(-3),), 1),
    ("bfind.shiftamt.u32 %r0, %r1;", (0x8000,), 16),
    ("bfind.u64 %r0, %rd1;", (0,), U32 - 1),
    ("brev.b32 %r0, %r1;", (1,), 2**31),
    ("brev.b64 %rd0, %rd1;", (0b1011,), 0b1101 << 60),
    ("bfe.u32 %r0, %r1, 4, 8;", (0xABCDE,), 0xCD),
    ("bfe.s32 %r0, %r1, 4, 8;", (0xABCDE,), s(-0x33)),
    ("bfe.s32 %r0, %r1, 28, 8;", (0x70000000,), 7),
    ("bfe.s64 %rd0, %rd1, 0, 0;", (U64 - 1,), 0),
    ("bfi.b32 %r0, %r1, %r2, 8, 8;", (0xFF, 0x12345678), 0x1234FF78),
    ("bfi.b64 %rd0, %rd1, %rd2, 60, 8;", (0xF, 0), 0xF << 60),
    ("bmsk.clamp.b32 %r0, %r1, %r2;", (4, 8), 0xFF0),
    ("dp4a.s32.s32 %r0, %r1, %r2, %r3;", (0x01FF02FE, 0x01010101, 10), 10),
    ("dp4a.u32.u32 %r0, %r1, %r2, %r3;", (0x01FF02FE, 0x01010101, 0), 1 + 255 + 2 + 254),
    ("dp2a.lo.u32.u32 %r0, %r1, %r2, %r3;", (0x00020003, 0x09090504, 1), 3 * 4 + 2 * 5 + 1),
    ("dp2a.hi.u32.u32 %r0, %r1, %r2, %r3;", (0x00020003, 0x05040909, 1), 3 * 4 + 2 * 5 + 1),
    # 9.7.2 Extended precision: the carry goes from one to the next
    ("add.cc.u32 %r6, %r1, %r2; addc.u32 %r0, %r3, %r4;", (U32 - 1, 1, 5, 6), 12),
    ("add.cc.u64 %rd6, %rd1, %rd2; addc.cc.u64 %rd6, %rd3, 0; addc.u32 %r0, 0, 0;", (U64 - 1, 1, U64 - 1), 1),
    ("sub.cc.u32 %r6, %r1, %r2; subc.u32 %r0, %r3, %r4;", (0, 1, 9, 3), 5),
    ("mad.lo.cc.u32 %r6, %r1, %r2, %r3; madc.hi.u32 %r0, %r1, %r2, 0;", (U32 - 1, U32 - 1, U32 - 1), U32 - 1),
    # 9.7.3 Floating point: rounding, flushing, NaN, signs of zero
    ("add.f32 %r0, %r1, %r2;", (f(1.0), f(2**-24)), f(1.0)),
    ("add.rp.f32 %r0, %r1, %r2;", (f(1.0), f(2**-40)), f(1.0) + 1),
    ("add.rm.f64 %rd0, %rd1, %rd2;", (d(1.0), d(-(2**-80))), d(1.0) - 1),
    ("sub.rz.f32 %r0, %r1, %r2;", (f(-1.0), f(-(2**-40))), f(-1.0) - 1),
    ("add.ftz.f32 %r0, %r1, %r2;", (1, 1), 0),
    ("add.f32 %r0, %r1, %r2;", (1, 1), 2),
    ("add.sat.f32 %r0, %r1, %r2;", (f(0.75), f(0.75)), f(1.0)),
    ("add.sat.f32 %r0, %r1, %r2;", (NAN, f(0.75)), 0),
    ("mul.f64 %rd0, %rd1, %rd2;", (d(0.1), d(3.0)), d(0.1 * 3.0)),
    ("fma.rn.f32 %r0, %r1, %r2, %r3;", (f(1 + 2**-12), f(1 + 2**-12), f(-1.0)), f(2**-11 + 2**-24)),
    ("fma.rn.f64 %rd0, %rd1, %rd2, %rd3;", (d(1 + 2**-30), d(1 + 2**-30), d(-1.0)), d(2**-29 + 2**-60)),
    ("fma.rm.f32 %r0, %r1, %r2, %r3;", (f(1.0), f(1.0), f(-(2**-40))), f(1.0) - 1),
    ("mad.rn.f32 %r0, %r1, %r2, %r3;", (f(2.0), f(3.0), f(1.0)), f(7.0)),
    ("div.rn.f32 %r0, %r1, %r2;", (f(1.0), f(3.0)), f(1 / 3)),
    ("div.rz.f64 %rd0, %rd1, %rd2;", (d(2.0), d(3.0)), d(2 / 3)),
    ("div.rp.f64 %rd0, %rd1, %rd2;", (d(2.0), d(3.0)), d(2 / 3) + 1),
    ("rcp.rn.f32 %r0, %r1;", (f(3.0),), f(1 / 3)),
    ("rcp.approx.ftz.f64 %rd0, %rd1;", (d(3.0),), d(1 / 3) >> 32 << 32),
    ("sqrt.rn.f64 %rd0, %rd1;", (d(2.0),), d(math.sqrt(2))),
    ("sqrt.rm.f32 %r0, %r1;", (f(2.0),), f(1.4142135)),
    ("ex2.approx.ftz.f32 %r0, %r1;", (f(3.0),), f(8.0)),
    ("lg2.approx.f32 %r0, %r1;", (f(8.0),), f(3.0)),
    ("rsqrt.approx.f32 %r0, %r1;", (f(4.0),), f(0.5)),
    ("abs.f32 %r0, %r1;", (f(-0.0),), 0),
    ("neg.f64 %rd0, %rd1;", (d(0.0),), d(-0.0)),
    ("min.f32 %r0, %r1, %r2;", (f(math.nan), f(3.0)), f(3.0)),
    ("max.f32 %r0, %r1, %r2;", (f(-0.0), f(0.0)), f(0.0)),
    ("min.f32 %r0, %r1, %r2;", (f(0.0), f(-0.0)), f(-0.0)),
    ("copysign.f32 %r0, %r1, %r2;", (f(-1.0), f(3.0)), f(-3.0)),
    ("testp.subnormal.f32 %p0, %r1;", (1,), 1),
    ("testp.finite.f32 %p0, %r1;", (f(math.inf),), 0),
    ("add.f16 %h0, %h1, %h2;", (h(1.0), h(2.0)), h(3.0)),
    (
        "fma.rn.f16x2 %r0, %r1, %r2, %r3;",
        (h(2.0) << 16 | h(3.0),) * 2 + (h(1.0) << 16 | h(1.0),),
        h(5.0) << 16 | h(10.0),
    ),
    # 9.7.6 Comparison and selection
    ("setp.lt.s32 %p0, %r1, %r2;", (s(-1), 0), 1),
    ("setp.lo.u32 %p0, %r1, %r2;", (s(-1), 0), 0),
    ("setp.eq.f32 %p0, %r1, %r2;", (NAN, NAN), 0),
    ("setp.ne.f32 %p0, %r1, %r2;", (NAN, NAN), 0),
    ("setp.neu.f32 %p0, %r1, %r2;", (NAN, NAN), 1),
    ("setp.ltu.f32 %p0, %r1, %r2;", (NAN, f(1.0)), 1),
    ("setp.nan.f64 %p0, %rd1, %rd2;", (d(math.nan), d(1.0)), 1),
    ("setp.num.f64 %p0, %rd1, %rd2;", (d(math.nan), d(1.0)), 0),
    ("setp.lt.and.s32 %p0, %r1, %r2, !%p3;", (1, 2, 0), 1),
    ("setp.lt.s32 %p6|%p0, %r1, %r2;", (1, 2), 0),
    ("set.lt.u32.s32 %r0, %r1, %r2;", (1, 2), U32 - 1),
    ("set.gt.f32.s32 %r0, %r1, %r2;", (3, 2), f(1.0)),
    ("selp.b32 %r0, %r1, %r2, %p3;", (7, 8, 0), 8),
    ("slct.s32.f32 %r0, %r1, %r2, %r3;", (7, 8, f(-0.0)), 7),
    # 9.7.8 Logic and shifts: shifts by more than the width are clamped
    ("and.b32 %r0, %r1, %r2;", (0b1100, 0b1010), 0b1000),
    ("xor.pred %p0, %p1, %p2;", (1, 1), 0),
    ("not.b64 %rd0, %rd1;", (0,), U64 - 1),
    ("cnot.b32 %r0, %r1;", (0,), 1),
    ("shl.b32 %r0, %r1, %r2;", (1, 32), 0),
    ("shl.b32 %r0, %r1, %r2;", (3, 31), 2**31),
    ("shr.u32 %r0, %r1, %r2;", (U32 - 1, 40), 0),
    ("shr.s32 %r0, %r1, %r2;", (s(-8), 40), U32 - 1),
    ("shr.s64 %rd0, %rd1, %r2;", (s(-8, 64), 1), s(-4, 64)),
    ("shf.l.wrap.b32 %r0, %r1, %r2, %r3;", (0x80000000, 1, 33), 3),
    ("shf.r.clamp.b32 %r0, %r1, %r2, %r3;", (0, 5, 40), 5),
    ("shf.r.wrap.b32 %r0, %r1, %r2, %r3;", (0x10, 1, 4), 0x10000001),
    ("lop3.b32 %r0, %r1, %r2, %r3, 0x96;", (0b1100, 0b1010, 0b1001), 0b1111),
    ("prmt.b32 %r0, %r1, %r2, 0x7410;", (0x33221100, 0x77665544), 0x77441100),
    ("prmt.b32 %r0, %r1, %r2, 0x000B;", (0x80221100, 0), 0x000000FF),
    # 9.7.9 Moves and conversions: sign, zeros, rounding, limits, NaN
    ("mov.b64 %rd0, {%r1, %r2};", (0x11111111, 0x22222222), 0x2222222211111111),
    ("mov.b64 {%r6, %r0}, %rd1;", (0x2222222211111111,), 0x22222222),
    ("mov.b32 %r0, {%h1, %h2};", (0x1111, 0x2222), 0x22221111),
    ("cvt.s64.s32 %rd0, %r1;", (s(-2),), s(-2, 64)),
    ("cvt.u64.u32 %rd0, %r1;", (s(-2),), s(-2)),
    ("cvt.s32.s8 %r0, %r1;", (0x180,), s(-128)),
    ("cvt.u16.u64 %h0, %rd1;", (0x12345,), 0x2345),
    ("cvt.sat.u8.s32 %r0, %r1;", (s(-5),), 0),
    ("cvt.sat.s8.s32 %r0, %r1;", (300,), 127),
    ("cvt.rzi.s32.f32 %r0, %r1;", (f(-1.7),), s(-1)),
    ("cvt.rni.s32.f32 %r0, %r1;", (f(2.5),), 2),
    ("cvt.rmi.s32.f64 %r0, %rd1;", (d(-1.5),), s(-2)),
    ("cvt.rpi.s64.f64 %rd0, %rd1;", (d(1.5),), 2),
    ("cvt.rzi.s32.f32 %r0, %r1;", (f(3e9),), 2**31 - 1),
    ("cvt.rzi.u32.f32 %r0, %r1;", (f(-3.0),), 0),
    ("cvt.rzi.u64.f64 %rd0, %rd1;", (d(1e20),), U64 - 1),
    ("cvt.rzi.s32.f32 %r0, %r1;", (f(math.nan),), 0),
    ("cvt.rzi.s64.f64 %rd0, %rd1;", (d(math.nan),), 2**63),
    ("cvt.rn.f32.s32 %r0, %r1;", (16777217,), f(16777216.0)),
    ("cvt.rp.f32.s32 %r0, %r1;", (16777217,), f(16777218.0)),
    ("cvt.rn.f64.u64 %rd0, %rd1;", (U64 - 1,), d(2.0**64)),
    ("cvt.rn.f32.f64 %r0, %rd1;", (d(1 + 2**-30),), f(1.0)),
    ("cvt.rp.f32.f64 %r0, %rd1;", (d(1 + 2**-30),), f(1.0) + 1),
    ("cvt.f64.f32 %rd0, %r1;", (f(0.1),), d(np.float32(0.1).item())),
    ("cvt.rn.f16.f32 %h0, %r1;", (f(1 + 2**-12),), h(1.0)),
    ("cvt.rz.f16.f32 %h0, %r1;", (f(-1.9999),), h(-1.999)),
    ("cvt.f32.f16 %r0, %h1;", (h(0.5),), f(0.5)),
    ("cvt.rmi.f64.f64 %rd0, %rd1;", (d(-0.5),), d(-1.0)),
    ("cvt.rni.f32.f32 %r0, %r1;", (f(3.5),), f(4.0)),
    ("cvt.rn.f16x2.f32 %r0, %r1, %r2;", (f(2.0), f(1.0)), h(2.0) << 16 | h(1.0)),
]


@pytest.mark.parametrize(("instruction", "inputs", "wanted"), CASES, ids=[f"{k}: {c[0]}" for k, c in enumerate(CASES)])
def test_an_instruction(instruction, inputs, wanted):
    assert one(instruction, *inputs) == wanted


def test_fused_multiply_add_is_rounded_once():
    """Against whole numbers: of each, the product and the sum are exact, and rounded by Python."""
    from fractions import Fraction

    rng = np.random.default_rng(1)
    for dtype in (np.float32, np.float64):
        a, b, c = (np.ldexp(rng.normal(size=500), rng.integers(-30, 30, 500)).astype(dtype) for _ in range(3))
        made = opcodes.fma(a, b, c)
        for x, y, z, got in zip(a, b, c, made, strict=True):
            exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
            near = [np.nextafter(got, dtype(side)) for side in (-np.inf, np.inf)]
            assert all(abs(Fraction(float(got)) - exact) <= abs(Fraction(float(n)) - exact) for n in near)


def test_threads_that_part_meet_again():
    text = kernel("""
        and.b32 %r1, %i, 1;
        setp.eq.u32 %p1, %r1, 0;
        @%p1 bra EVEN;
        mul.lo.u32 %r2, %i, 10;
        bra.uni JOIN;
    EVEN:
        add.u32 %r2, %i, 100;
    JOIN:
        activemask.b32 %r3;
        mul.wide.u32 %rd1, %i, 8;
        add.u64 %rd1, %out, %rd1;
        mov.b64 %rd2, {%r2, %r3};
        st.global.u64 [%rd1], %rd2;""")
    found = run(text, block=32, size=32)
    assert [int(x) % U32 for x in found] == [100 + k if k % 2 == 0 else 10 * k for k in range(32)]
    assert {int(x) >> 32 for x in found} == {U32 - 1}


def test_a_loop_as_long_as_each_thread_wants():
    text = kernel("""
        mov.u32 %r1, 0; mov.u32 %r2, 0;
    LOOP:
        setp.ge.u32 %p1, %r1, %i;
        @%p1 bra END;
        add.u32 %r1, %r1, 1;
        add.u32 %r2, %r2, %r1;
        bra LOOP;
    END:
        mul.wide.u32 %rd1, %i, 8; add.u64 %rd1, %out, %rd1; cvt.u64.u32 %rd2, %r2; st.global.u64 [%rd1], %rd2;""")
    assert run(text, grid=2, block=16, size=32).tolist() == [k * (k + 1) // 2 for k in range(32)]


STORE = "mul.wide.u32 %rd1, %i, 8; add.u64 %rd1, %out, %rd1; cvt.u64.u32 %rd2, %r0; st.global.u64 [%rd1], %rd2;"


def test_a_barrier_waits_for_all_threads_of_the_block():
    """Each writes its number backwards, from warps whose ways there were not as long."""
    text = kernel(
        f"""
        mov.u32 %r1, buffer; shl.b32 %r2, %r28, 2; add.u32 %r2, %r1, %r2;
        setp.lt.u32 %p1, %r28, 32;
        @%p1 bra LATE;
        st.shared.u32 [%r2], %i;
        bra MEET;
    LATE:
        mov.u32 %r5, 50;
    SPIN:
        sub.u32 %r5, %r5, 1; setp.ne.u32 %p2, %r5, 0; @%p2 bra SPIN;
        st.shared.u32 [%r2], %i;
    MEET:
        bar.sync 0;
        mov.u32 %r6, 63; sub.u32 %r6, %r6, %r28; shl.b32 %r6, %r6, 2; add.u32 %r6, %r1, %r6;
        ld.shared.u32 %r0, [%r6];
        {STORE}""",
        ".shared .align 4 .b8 buffer[256];",
    )
    found = run(text, grid=2, block=64, size=128)
    assert found.tolist() == [63 - k for k in range(64)] + [127 - k for k in range(64)]


def test_a_barrier_counts_and_joins_predicates():
    text = kernel(f"setp.lt.u32 %p1, %r28, 10; bar.red.popc.u32 %r0, 0, %p1; {STORE}")
    assert set(run(text, block=64, size=64).tolist()) == {10}
    text = kernel(f"setp.lt.u32 %p1, %i, 40; bar.red.and.pred %p2, 0, %p1; selp.u32 %r0, 1, 0, %p2; {STORE}")
    assert run(text, grid=2, block=32, size=64).tolist() == [1] * 32 + [0] * 32


SHUFFLES = {
    "idx.b32 %r0|%p1, %i, 5, 31, -1": [5] * 32,
    "up.b32 %r0|%p1, %i, 1, 0, -1": [0, *range(31)],
    "down.b32 %r0|%p1, %i, 2, 31, -1": [*range(2, 32), 30, 31],
    "bfly.b32 %r0|%p1, %i, 1, 31, -1": [k ^ 1 for k in range(32)],
    # The upper byte of c divides the warp: 0x18 << 8 leaves parts of 8 lanes.
    "idx.b32 %r0|%p1, %i, 3, 0x181f, -1": [k // 8 * 8 + 3 for k in range(32)],
    "down.b32 %r0|%p1, %i, 7, 0x181f, -1": [k + 7 if k % 8 == 0 else k for k in range(32)],
    "up.b32 %r0|%p1, %i, 3, 0x1800, -1": [k - 3 if k % 8 >= 3 else k for k in range(32)],
}


@pytest.mark.parametrize("form", SHUFFLES)
def test_a_shuffle(form):
    assert run(kernel(f"shfl.sync.{form}; {STORE}"), block=32, size=32).tolist() == SHUFFLES[form]


VOTES = {
    "setp.lt.u32 %p1, %i, 4; vote.sync.ballot.b32 %r0, %p1, -1;": [15] * 32,
    "setp.lt.u32 %p1, %i, 4; vote.sync.any.pred %p2, %p1, -1; selp.u32 %r0, 1, 0, %p2;": [1] * 32,
    "setp.lt.u32 %p1, %i, 4; vote.sync.all.pred %p2, %p1, -1; selp.u32 %r0, 1, 0, %p2;": [0] * 32,
    "setp.lt.u32 %p1, %i, 4; vote.sync.uni.pred %p2, !%p1, -1; selp.u32 %r0, 1, 0, %p2;": [0] * 32,
    "and.b32 %r1, %i, 3; match.any.sync.b32 %r0, %r1, -1;": [0x11111111 << (k % 4) for k in range(32)],
    "mov.u32 %r1, 7; match.all.sync.b32 %r0|%p2, %r1, -1;": [U32 - 1] * 32,
    "match.all.sync.b32 %r0|%p2, %i, -1; selp.u32 %r0, 9, %r0, %p2;": [0] * 32,
    "redux.sync.add.u32 %r0, %i, -1;": [496] * 32,
    "redux.sync.max.s32 %r0, %i, -1;": [31] * 32,
}


@pytest.mark.parametrize("code", VOTES)
def test_a_vote(code):
    assert run(kernel(code + STORE), block=32, size=32).tolist() == VOTES[code]


def test_a_shuffle_waits_for_those_that_its_mask_names():
    text = kernel(f"""
        setp.lt.u32 %p1, %i, 16; mov.u32 %r3, %i;
        @%p1 bra LOW;
        add.u32 %r3, %r3, 1000;
    LOW:
        shfl.sync.bfly.b32 %r0, %r3, 16, 31, -1;
        {STORE}""")
    assert run(text, block=32, size=32).tolist() == [1000 + k + 16 for k in range(16)] + list(range(16))


ATOMS = {
    "add.u32": ("1", list(range(8)), 8),
    "exch.b32": ("%i", [0, 0, 1, 2, 3, 4, 5, 6], 7),
    "max.u32": ("%i", [0, 0, 1, 2, 3, 4, 5, 6], 7),
    "inc.u32": ("2", [0, 1, 2, 0, 1, 2, 0, 1], 2),
    "dec.u32": ("2", [0, 2, 1, 0, 2, 1, 0, 2], 1),
    "or.b32": ("%i", [0, 0, 1, 3, 3, 7, 7, 7], 7),
    "cas.b32": ("0, 5", [0] + [5] * 7, 5),
}


@pytest.mark.parametrize("form", ATOMS)
def test_an_atomic_gives_the_old_value_in_the_order_of_the_lanes(form):
    operands, old, last = ATOMS[form]
    found = run(kernel(f"atom.global.{form} %r0, [%out+512], {operands}; {STORE}"), block=8, size=65)
    assert found[:8].tolist() == old and int(found[64]) == last


def test_atomics_on_floats_add_in_the_order_of_the_lanes():
    text = kernel(
        "ld.global.u64 %rd1, [%in]; mul.wide.u32 %rd2, %i, 8; add.u64 %rd2, %in, %rd2; ld.global.f64 %rd3, [%rd2]; red.global.add.f64 [%out], %rd3;"
    )
    values = [1e16, 1.0, -1e16, 1.0]
    assert int(run(text, [d(x) for x in values], block=4)[0]) == d(((1e16 + 1.0) - 1e16) + 1.0)


def test_a_lock_that_the_threads_of_a_warp_take_one_after_another():
    text = kernel("""
    TRY:
        atom.global.cas.b32 %r1, [%out+8], 0, 1;
        setp.ne.u32 %p1, %r1, 0;
        @%p1 bra TRY;
        ld.volatile.global.u32 %r2, [%out]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%out], %r2;
        membar.gl;
        atom.global.exch.b32 %r3, [%out+8], 0;""")
    assert int(run(text, block=32)[0]) == 32


def test_memory_is_read_and_written_in_vectors_and_of_each_width():
    text = kernel("""
        ld.global.v2.u64 {%rd1, %rd2}, [%in]; st.global.v2.u64 [%out], {%rd2, %rd1};
        ld.global.s8 %r1, [%in+3]; st.global.u32 [%out+16], %r1;
        ld.global.u16 %h1, [%in+2]; st.global.u16 [%out+24], %h1;
        ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%in]; st.global.u8 [%out+32], %h4;""")
    found = run(text, [0x11223344_80556677, 42])
    assert found[:5].tolist() == [42, 0x11223344_80556677, s(-128), 0x8055, 0x80]


def test_local_memory_belongs_to_its_thread():
    text = kernel(
        f"""
        mov.u64 %rd5, depot; cvta.local.u64 %rd6, %rd5;
        st.local.u32 [%rd5+4], %i; ld.u32 %r0, [%rd6+4]; {STORE}""",
        ".local .align 8 .b8 depot[16];",
    )
    assert run(text, block=40, size=40).tolist() == list(range(40))


def test_dynamic_shared_memory_begins_at_one_place_for_all_names():
    text = kernel(
        f"mov.u32 %r1, dynamic; st.shared.u32 [%r1+28], %i; ld.shared.u32 %r0, [%r1+28]; {STORE}",
        outside=".extern .shared .align 16 .b8 dynamic[];",
    )
    assert run(text, shared=32)[0] == 0


def test_variables_have_their_initial_values():
    text = kernel(
        f"mul.wide.u32 %rd3, %i, 4; mov.u64 %rd4, table; add.u64 %rd4, %rd4, %rd3; ld.const.u32 %r0, [%rd4]; {STORE}",
        outside=".const .align 4 .u32 table[4] = {3, 1, 0xFF, 7};",
    )
    assert run(text, block=4, size=4).tolist() == [3, 1, 255, 7]


CALLED = """
.func (.param .b32 result) factorial(.param .b32 factorial_param_0)
{
    .reg .b32 %r<9>; .reg .pred %p<3>;
    ld.param.u32 %r1, [factorial_param_0];
    setp.gt.u32 %p1, %r1, 1;
    @%p1 bra MORE;
    mov.u32 %r2, 1;
    bra DONE;
MORE:
    sub.u32 %r3, %r1, 1;
    { .param .b32 param0; st.param.b32 [param0+0], %r3; .param .b32 retval0;
      call.uni (retval0), factorial, (param0); ld.param.b32 %r4, [retval0+0]; }
    mul.lo.u32 %r2, %r1, %r4;
DONE:
    st.param.b32 [result+0], %r2;
    ret;
}
"""


def test_a_function_may_call_itself():
    body = f"""{{ .param .b32 param0; st.param.b32 [param0+0], %i; .param .b32 retval0;
        call.uni (retval0), factorial, (param0); ld.param.b32 %r0, [retval0+0]; }} {STORE}"""
    assert run(kernel(body, outside=CALLED), block=7, size=7).tolist() == [1, 1, 2, 6, 24, 120, 720]


def test_printf_formats_each_thread_s_arguments():
    outside = """
    .extern .func (.param .b32 func_retval0) vprintf (.param .b64 vprintf_param_0, .param .b64 vprintf_param_1);
    .global .align 1 .b8 form[12] = {105, 61, 37, 100, 32, 37, 46, 49, 102, 10, 0, 0};"""
    body = """
        mov.u64 %rd5, depot; st.local.u32 [%rd5], %i; mov.f64 %rd6, 0d3FF8000000000000; st.local.f64 [%rd5+8], %rd6;
        { .param .b64 param0; mov.u64 %rd7, form; st.param.b64 [param0+0], %rd7; .param .b64 param1;
        st.param.b64 [param1+0], %rd5; .param .b32 retval0; call.uni (retval0), vprintf, (param0, param1); }"""
    run(kernel(body, ".local .align 8 .b8 depot[16];", outside), block=2)
    assert run.machine.printed == ["i=0 1.5\n", "i=1 1.5\n"]


def test_a_branch_by_a_table():
    text = kernel(f"""
        and.b32 %r1, %i, 3;
        brx.idx %r1, TABLE;
    TABLE: .branchtargets A, B, C, A;
    A:  mov.u32 %r0, 10; bra END;
    B:  mov.u32 %r0, 11; bra END;
    C:  mov.u32 %r0, 12;
    END: {STORE}""")
    assert run(text, block=8, size=8).tolist() == [10, 11, 12, 10] * 2


def test_a_guard_is_for_its_own_instruction():
    text = kernel(f"""
        setp.lt.u32 %p1, %i, 2; mov.u32 %r0, 5;
        @%p1 add.u32 %r0, %r0, 1;
        @!%p1 ld.global.u32 %r0, [%in];
        {STORE}
        @%p1 exit;
        st.global.u32 [%out+64], %i;""")
    assert run(text, [77], block=4, size=9).tolist()[:4] == [6, 6, 77, 77] and run(text, [77], block=4, size=9)[8] == 3


REFUSED = {
    "frobnicate.u32 %r0, %r1, %r2;": "line 16.*not known here.*frobnicate",
    "cvt.rn.relu.bf16.f32 %h0, %r1;": "line 16.*not known here",
    "ld.global.u32 %r0, [%out+4096];": "line 16.*outside of what is allocated",
    "ld.global.u64 %rd1, [%out+4];": "line 16.*misaligned",
    "mov.u64 %rd1, 0; st.global.u32 [%rd1], 1;": "line 16.*outside of what is allocated",
    "trap;": "line 16.*a trap",
    "setp.eq.u32 %p1, %i, 0; @%p1 bra HERE; shfl.sync.idx.b32 %r0, %r1, 0, 31, 3; HERE: shfl.sync.idx.b32 %r0, %r1, 0, 31, 3;": "wait for ever at line 16",
    "call.uni (r), nowhere, (p);": "line 16.*nowhere",
    "LOOP: bra LOOP;": "more than 1000 steps",
    "mov.u32 %r0, %nothing;": "line 16.*%nothing",
}


@pytest.mark.parametrize("code", REFUSED)
def test_what_is_wrong_is_named_with_its_line(code):
    with pytest.raises(PtxError, match=REFUSED[code]):
        run(kernel(code), block=2, steps=1000)


def test_text_that_ends_too_early_is_refused():
    with pytest.raises(PtxError, match="no end|ends in the middle"):
        parse(kernel("").rstrip().rstrip("}"))
