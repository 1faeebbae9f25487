"""5a. Bound, estimate and measured time of kernels and array expressions; registers and occupancy by the lens and by the driver.

Three kinds of parts: kernels at the published sizes (`gpu.launches`), array expressions (`packages/kernellens/tests/array_expressions.py`) on
10 000 x 10 000, and every kernel that a lecture or a solution launches, at the size that it has there.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

from .record import seconds

TITLE = "Times and registers"
WORKERS = 1
ROOT = Path(__file__).parents[3]
SIDE, DRY_SIDE = 10_000, 300


def parts(about):
    from gpu import launches

    need = ["numba"] if about["dry"] else ["numba_cuda", "cupy"]
    kernels = [{"name": f"kernel/{name}", "takes": 8, "patience": 240, "needs": need} for name in launches.MAKERS]
    kernels += [{"name": f"reference/{name}", "takes": 8, "patience": 120, "needs": need} for name in REFERENCES]
    shown = [{"name": f"expression/{name}", "takes": 5, "patience": 180, "needs": need} for name in _names()]
    books = [
        f
        for folder in ("notebooks", "solutions")
        for f in sorted((ROOT / folder).glob("*.ipynb"))
        if "cuda.jit" in f.read_text(encoding="utf-8")
    ]
    read = [
        {
            "name": f"notebook/{f.relative_to(ROOT)}",
            "takes": 30,
            "patience": 500,
            "needs": [*need, "ipykernel"],
            "alone": True,
        }
        for f in books
    ]
    if about["dry"]:
        smallest = min(range(len(books)), key=lambda i: books[i].stat().st_size)
        return [*kernels[:2], *kernels[-2:], *shown[:2], read[smallest]]
    return [*kernels, *shown, *read]


def do(part, about):
    from .probe import real

    real(about)
    kind, _, name = part.partition("/")
    return {"kernel": _kernel, "expression": _expression, "reference": _reference, "notebook": _notebook}[kind](
        name, about
    )


def _kernel(name, about):
    from gpu import launches, truth

    kernel, grid, block, args = launches.make(name, about["dry"])
    return truth.examine(kernel, grid, block, args, what=name)


def _module():
    spec = importlib.util.spec_from_file_location(
        "gpu_array_expressions", ROOT / "packages" / "kernellens" / "tests" / "array_expressions.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _names():
    """The expressions' names, read from the source: making them needs CuPy."""
    import ast

    tree = ast.parse((ROOT / "packages" / "kernellens" / "tests" / "array_expressions.py").read_text(encoding="utf-8"))
    (made,) = [
        n
        for f in tree.body
        if isinstance(f, ast.FunctionDef) and f.name == "expressions"
        for n in f.body
        if isinstance(n, ast.Return)
    ]
    return [key.value for key in made.value.keys]


#: What kernels are held against: the best that a library does, and the expression of the famous figure as one kernel.
REFERENCES = ("sin² + cos², fused", "matmul, cuBLAS")


def _reference(name, about):
    import cupy as cp

    import kernellens
    from hundredfold import measure

    n = DRY_SIDE if about["dry"] else SIDE
    if name == "matmul, cuBLAS":
        x = cp.ones((n if about["dry"] else 4096,) * 2, cp.float32)  # the side of the tiled kernel's (gpu.launches)
        done = measure(lambda: x @ x, name=name, max_time=2.0)
        return {"kernel": name, "measured": done.median, "spread": done.spread, "why": {}}
    fused = cp.ElementwiseKernel("T x", "T y", "T s = sin(x), c = cos(x); y = s * s + c * c", "sin2_cos2")
    x = cp.random.rand(n, n)
    out = cp.empty_like(x)
    account = kernellens.account(lambda x: cp.sin(x) ** 2 + cp.cos(x) ** 2, x)
    done = measure(lambda: fused(x, out), name=name, max_time=2.0)
    bound = (
        account.bound
    )  # in one pass: what it needs read once, what it gives written once, the arithmetic that no compiler leaves out
    found = {
        "kernel": name,
        "measured": done.median,
        "spread": done.spread,
        "bound": bound.seconds,
        "bound binds": bound.binds,
        "why": {},
    }
    # The estimate is of the kernels as they are launched, five of them: none of a fused one.
    return {**found, "bytes": 2.0 * x.nbytes, "bound holds": bound.seconds <= done.median}


def _expression(name, about):
    import cupy as cp

    import kernellens
    from hundredfold import measure

    cp.get_default_memory_pool().free_all_blocks()  # an expression must not be timed in the memory of those before it
    module = _module()
    module.N = n = DRY_SIDE if about["dry"] else SIDE
    function = module.expressions(cp)[name]
    x, y = cp.random.rand(n, n), cp.random.rand(n, n)
    i, f = cp.arange(n, dtype=cp.int32), cp.linspace(0, 1, n, dtype=cp.float32)
    args = (x, y, i, f, i % 2 == 0)
    found = {"kernel": name, "why": {}}
    try:
        account = (
            kernellens.account(function, *args)
            if about["dry"]
            else kernellens.account(function, *args, shapes=True, fraction=0.5)
        )
        found |= {"gpu": account.gpu.name, "bound": account.launched.seconds, "bound binds": account.launched.binds}
        found |= {
            "one pass": account.bound.seconds,
            "estimate": account.estimate.seconds,
            "estimate binds": account.estimate.binds,
        }
        found["launches"] = len(account.kernels)
    except Exception as error:
        found["why"]["lens"] = f"{type(error).__name__}: {error}"[:400]
    done = measure(lambda: function(*args), name=name, max_time=2.0)
    found |= {"measured": done.median, "spread": done.spread, "noisy": done.noisy or ""}
    if "bound" in found:
        found["bound holds"] = found["bound"] <= found["measured"]
        found["estimate / measured"] = found["estimate"] / found["measured"]
    return found


def _notebook(name, about):
    """Every kernel that a notebook launches, at the largest of its launches."""
    import os

    from IPython.core.interactiveshell import InteractiveShell

    from gpu import truth

    os.environ.setdefault("KERNELLENS_FIGURES", "json")
    shell = InteractiveShell.instance()
    failed = []
    os.chdir(ROOT / Path(name).parent)
    with truth.Harvest() as harvest:
        for cell in json.loads((ROOT / name).read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] != "code":
                continue
            source = "".join(cell["source"])
            ran = shell.run_cell(source, store_history=False, silent=True)
            if not ran.success and "raises-exception" not in cell["metadata"].get("tags", []):
                failed.append(
                    f"{type(ran.error_in_exec or ran.error_before_exec).__name__}: {source.splitlines()[0][:80]}"
                )
    rows = []
    for _, dispatcher, grid, block, args, shared in harvest.launches.values():
        try:
            rows.append(truth.examine(dispatcher, tuple(grid), tuple(block), args, shared or 0))
        except Exception as error:
            rows.append(
                {"kernel": dispatcher.py_func.__name__, "why": {"launch": f"{type(error).__name__}: {error}"[:300]}}
            )
    return {"rows": rows, "failed cells": failed}


def rows(results):
    """(part, what was found) of each kernel and expression."""
    for part, line in results.items():
        result = line.get("result") or {"why": {line["status"]: line.get("why", "")}}
        for row in result.get("rows", [result]):
            yield part, row


def report(results):
    every = list(rows(results))
    if not every:
        return []
    timed = [row for _, row in every if "estimate" in row and "measured" in row]
    above = [row for row in timed if not row["bound holds"]]
    near = [row for row in timed if 1 / 1.5 <= row["estimate / measured"] <= 1.5]
    told = [row for _, row in every if row.get("lens") and row.get("driver")]
    lines = [
        f"- {len(timed)} kernels and expressions timed; {len(above)} bounds above a measured time; {len(near)} estimates within 1.5×"
    ]
    for what in ("registers", "blocks an SM") if told else ():
        same = sum(row["lens"].get(what) == row["driver"].get(what) for row in told)
        lines.append(f"- {what}: the lens and the driver agree on {same} of {len(told)} kernels")
    lines += [
        "",
        "| kernel or expression | bound | estimate | measured | estimate / measured | binds | registers lens / driver |",
        "|---|---:|---:|---:|---:|---|---|",
    ]
    for part, row in every:
        name = row.get("kernel") or part
        if "measured" not in row:
            why = "; ".join(map(str, row.get("why", {}).values()))
            lines.append(f"| {name} | {' '.join(why.split())[:160]} | | | | | |")
            continue
        registers = f"{row.get('lens', {}).get('registers', '–')} / {row.get('driver', {}).get('registers', '–')}"
        if "estimate" not in row:
            lines.append(
                f"| {name} | {seconds(row['bound']) if 'bound' in row else '–'} | – | {seconds(row['measured'])} | | | {registers} |"
            )
            continue
        flag = "" if row["bound holds"] else " **above**"
        lines.append(
            f"| {name} | {seconds(row['bound'])}{flag} | {seconds(row['estimate'])} | {seconds(row['measured'])} | "
            f"{row['estimate / measured']:.2f} | {row['estimate binds']} | {registers} |"
        )
    return lines
