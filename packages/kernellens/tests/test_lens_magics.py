"""`%%lens` and `%gpu` in a shell, and how an account reads in a notebook."""

import html.parser

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

import kernellens
from gpusim.hardware import gpus
from kernellens import magics, target

cuda = None  # the simulated library, set by conftest.py


def cell(shell, line, body):
    return shell.run_cell_magic("lens", line, body)


def test_a_cell_runs_and_is_accounted_for(shell):
    """The names are the notebook's, the value is the last line's, and lines are numbered as the editor shows them."""
    value = cell(shell, "-o kept", "y = cp.sin(x) + 1\nz = f(y)\nfloat(z.sum()) > 0\n")
    assert value is True and {"y", "z", "kept"} <= set(shell.user_ns)
    (account,) = shell.shown
    assert account is shell.user_ns["kept"]
    assert [(e.name, e.line) for e in account.events] == [
        ("cupy_sin", 2),
        ("cupy_add", 2),
        ("cupy_exp", 3),
        ("cupy_multiply", 3),
        ("cupy_sum", 4),
        ("memcpy DtoH", 4),
    ]
    assert account.source[3] == "z = f(y)" and account.gpu is target.chosen_gpu()
    assert float(shell.user_ns["y"][0]) == 1.0


def test_shapes_alone(shell, capsys):
    shell.user_ns["big"] = kernellens.array((10_000, 10_000))
    shell.user_ns["unused"] = (i for i in range(3))  # cannot be taken along, and need not be
    value = cell(shell, "--shapes --gpu 'RTX 4090' -o kept", "w = f(big) + x[:1]\nprint(w)\nw")
    assert value is None and "w" not in shell.user_ns
    account = shell.user_ns["kept"]
    assert account.shapes and account.gpu.name == "RTX 4090"
    assert [(e.name, e.read + e.written) for e in account.kernels] == [
        ("cupy_exp", 1_600_000_000),
        ("cupy_multiply", 1_600_000_000),
        ("cupy_add", 1_600_000_008),
    ]
    assert capsys.readouterr().out == "<10000 × 10000, float64: only the shape is known>\n"


def test_kernels_of_the_notebook_are_taken_along(shell):
    shell.run_cell(
        "from numba import cuda\n@cuda.jit\ndef triple(a, b):\n    i = cuda.grid(1)\n    if i < a.size:\n        b[i] = 3 * a[i]\n"
        "square = cp.ElementwiseKernel('T a', 'T b', 'b = a * a', 'square')\n"
        "add3 = cp.RawKernel('extern \"C\" __global__ void add3(double* a) { a[threadIdx.x] += 3; }', 'add3')\n"
        "@cp.fuse()\ndef both(a):\n    return a * 2 + 1\n"
        "values = {'a': [x, 2.5]}\nfrom cupy import sqrt"
    )
    cell(
        shell,
        "-s -o kept",
        "b = cp.empty_like(x)\ntriple[8, 128](x, b)\nadd3((1,), (32,), (b,))\nboth(square(b) + values['a'][0] * values['a'][1])\nsqrt(b)",
    )
    assert [e.name for e in shell.user_ns["kept"].events] == [
        "triple",
        "add3",
        "square",
        "cupy_multiply",
        "cupy_add",
        "both",
        "cupy_sqrt",
    ]


@pytest.mark.parametrize(
    ("line", "body", "says"),
    [
        ("--gpu a1000", "x + 1", "No GPU called 'a1000' is known. The nearest known: A100"),
        ("", "", "the cell body is empty"),
        ("", "# nothing", "the cell is empty"),
        ("", "for", r"cannot read this as Python: invalid syntax \(line 2\)"),
        ("", "y = 1\nreturn y", r"cannot read this as Python: 'return' outside function \(line 3\)"),
        ("", "y = 1\nawait y", r"cannot run the await of line 3.*blocking call"),
        ("", "[y async for y in x]", r"cannot run the await of line 2"),
        ("-s", "await x", r"cannot run the await of line 2"),
        ("-o 3", "x", "-o needs the name of a variable"),
        ("--fraction 0.1", "x", "--fraction goes with --shapes"),
        ("-s --fraction 3", "x", "must be between 0 and 1"),
        ("--bogus", "x", "unrecognized"),
        ("-s", "y = x + 1\nif y.sum() > 3:\n    y = 2", r"Line 3, if y.sum\(\) > 3: the program asks for values"),
        ("-s", "x[x > 0]", "Line 2.*--fraction 0.1"),
        ("-s", "y = x + 1\n%timeit y", "Line 3: magics and shell commands are not run"),
        ("-s", "df + 1", "Line 2: df is a cudf object.*make it in the code itself"),
    ],
)
def test_mistakes_end_in_one_sentence(shell, line, body, says):
    shell.run_cell("import cudf\ndf = cudf.DataFrame({'a': [1, 2]})")
    with pytest.raises(UsageError, match=says):
        cell(shell, line, body)
    assert shell.shown == []


def test_a_timeline_of_a_cell_with_await_is_refused_before_it_runs(shell):
    with pytest.raises(UsageError, match=r"%%timeline cannot run the await of line 3"):
        shell.run_cell_magic("timeline", "", "begun = 1\nawait x")
    assert "begun" not in shell.user_ns
    shell.run_cell_magic("timeline", "", "async def later():\n    await x\n")  # one in a function is nobody's business


def test_errors_of_the_code_are_its_own(shell):
    with pytest.raises(ZeroDivisionError):
        cell(shell, "", "y = x + 1\n1 / 0")
    with pytest.raises(ZeroDivisionError) as caught:
        cell(shell, "-s", "y = x + 1\n1 / 0")
    assert caught.value.__notes__ == ["in line 3: 1 / 0"]


def test_the_chosen_gpu(shell):
    assert shell.run_line_magic("gpu", "").gpu is target.chosen_gpu()
    sheet = shell.run_line_magic("gpu", "A100")
    assert sheet.gpu is gpus.find("A100") is kernellens.chosen_gpu()
    assert "2.04 TB/s" in str(sheet) and "9.7 TFLOP/s" in str(sheet)
    cell(shell, "", "x + 1")
    assert shell.shown[-1].gpu.name == "A100"
    with pytest.raises(UsageError, match="nearest known: A100"):
        shell.run_line_magic("gpu", "a1000")
    assert kernellens.chosen_gpu().name == "A100"
    assert shell.run_line_magic("gpu", "default").gpu is target.chosen_gpu() is not gpus.find("A100")


class Page(html.parser.HTMLParser):
    """Checks that tags close, and keeps the text of a table's cells."""

    def __init__(self, text):
        super().__init__()
        self.open, self.cells, self.tags = [], [], []
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.tags.append((tag, dict(attributes)))
        if tag in ("td", "th", "caption"):
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if any(tag in ("td", "th", "caption") for tag in self.open):
            self.cells[-1] += data


def test_the_table_of_a_notebook(shell):
    """A caption, heads with scopes, escaped source; every number of the text stands there too."""
    cell(shell, "-o kept", "y = cp.where(x < 0.5, x, 1)\nz = (x * 2 + y) & 1 if False else x * 2 + y")
    account = shell.user_ns["kept"]
    page = Page(account._repr_html_())
    assert page.cells[0] == f"The account of this cell on an {account.gpu.name}"
    heads = [attributes for tag, attributes in page.tags if tag == "th"]
    assert len(heads) == 9 + len(account.events) and all(h["scope"] in ("col", "row") for h in heads)
    assert "y = cp.where(x < 0.5, x, 1)" in page.cells
    for event in account.events:
        assert event.name in page.cells
    for tag, attributes in page.tags:
        assert tag != "script"
        if tag == "span":
            assert attributes.get("aria-hidden") == "true"
    sheet = Page(shell.run_line_magic("gpu", "T4")._repr_html_())
    assert "320 GB/s" in sheet.cells


def test_the_extension_brings_them(simulated_libraries):
    pytest.importorskip("hundredfold", reason="the course's own part in it")
    from hundredfold.notebook import extension

    shell = InteractiveShell()
    for kind, name in (("cell", "lens"), ("line", "gpu")):
        shell.register_magic_function(extension._later(shell, name), kind, name)
    assert shell.run_line_magic("gpu", "").gpu is target.chosen_gpu()
    assert type(shell.magics_manager.magics["cell"]["lens"].__self__) is magics.LensMagics
