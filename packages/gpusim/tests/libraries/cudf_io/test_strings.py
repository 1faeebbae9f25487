"""Series.str: values against Python's own, and where libcudf's rules are others."""

import re

import numpy as np
import pytest

TEXTS = ["Hello World", None, "a,b,c", "", "  pad\t", "ÉCOLE straße", "123", "-1.5e3", "0x1F", "192.168.0.1"]


@pytest.fixture
def s(cudf):
    return cudf.Series(TEXTS)


def values(result):
    return result._arrow.to_pylist()


def each(function, null=None):
    return [null if text is None else function(text) for text in TEXTS]


@pytest.mark.parametrize(
    ("name", "args", "python"),
    [
        ("upper", (), str.upper),
        ("lower", (), str.lower),
        ("title", (), str.title),
        ("swapcase", (), str.swapcase),
        ("capitalize", (), str.capitalize),
        ("zfill", (14,), lambda t: t.zfill(14)),
        ("center", (15, "*"), lambda t: t.center(15, "*")),
        ("ljust", (15,), lambda t: t.ljust(15)),
        ("rjust", (15,), lambda t: t.rjust(15)),
        ("slice", (1, -1, 2), lambda t: t[1:-1:2]),
        ("removeprefix", ("He",), lambda t: t.removeprefix("He")),
        ("removesuffix", ("ld",), lambda t: t.removesuffix("ld")),
        ("strip", ("Hd",), lambda t: t.strip("Hd")),
        ("repeat", (3,), lambda t: t * 3),
        ("translate", ({"a": "b", "l": None},), lambda t: t.translate(str.maketrans({"a": "b", "l": None}))),
        ("replace", ("l+", "L"), lambda t: re.sub("l+", "L", t)),
        ("count", ("l",), lambda t: t.count("l")),
        ("find", ("o", 1), lambda t: t.find("o", 1)),
        ("rfind", ("o",), lambda t: t.rfind("o")),
        ("split", (",",), lambda t: t.split(",")),
        ("rsplit", (",", 1), lambda t: t.rsplit(",", 1)),
        ("findall", ("[a-z]",), lambda t: re.findall("[a-z]", t)),
        ("find_re", ("[a-z]+",), lambda t: found.start() if (found := re.search("[a-z]+", t)) else -1),
        ("byte_count", (), lambda t: len(t.encode())),
        ("normalize_spaces", (), lambda t: " ".join(t.split())),
    ],
)
def test_values(s, name, args, python):
    assert values(getattr(s.str, name)(*args)) == each(python)


@pytest.mark.parametrize(
    "name", ["isalpha", "isdigit", "isnumeric", "isdecimal", "isalnum", "isspace", "isupper", "islower"]
)
def test_kinds_of_characters_are_false_for_null(s, name):
    result = getattr(s.str, name)()
    assert values(result) == each(getattr(str, name), False)
    assert result.dtype == np.dtype(bool)


def test_numbers_in_text(s):
    assert values(s.str.isinteger()) == each(lambda t: t == "123")
    assert values(s.str.isfloat()) == each(lambda t: t in ("123", "-1.5e3"))
    assert values(s.str.ishex())[-2:] == [True, False]
    assert values(s.str.htoi())[-2] == 0x1F
    assert values(s.str.isipv4()) == each(lambda t: t == "192.168.0.1")
    assert s.str.ip2int().dtype == np.uint32 and values(s.str.ip2int())[-1] == 0xC0A80001


def test_dtypes_are_cudfs(s):
    assert s.str.len().dtype == np.int32 and values(s.str.len()) == each(len)
    assert s.str.find("l").dtype == np.int64
    assert s.str.count("l").dtype == np.int32
    assert s.str.contains("l").dtype == np.dtype(bool)


def test_null_is_false_where_pandas_would_say_so(s):
    assert values(s.str.contains("l"))[1] is False
    assert values(s.str.startswith("H"))[1] is False
    assert values(s.str.match("H"))[1] is False
    assert values(s.str.like("%l%"))[1] is None
    assert values(s.str.contains("l", na=True))[1] is True


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(?=l)", "nothing to repeat at position 1"),
        ("(?<!a)b", "nothing to repeat at position 1"),
        ("(?i)hello", "nothing to repeat at position 1"),
        ("*a", "nothing to repeat at position 0"),
        ("(+)", "nothing to repeat at position 1"),
        ("a**", "nothing to repeat at position 2"),
        (r"\p", "bad escape character at position 1"),
        ("(ab", "unmatched left parenthesis"),
        ("a{1000}", "unsupported repeat value"),
    ],
)
def test_patterns_that_libcudf_refuses(s, pattern, words):
    with pytest.raises(RuntimeError, match=re.escape(words)):
        s.str.replace(pattern, "x")


def test_a_back_reference_in_a_pattern_is_an_octal_escape(cudf):
    s = cudf.Series(["aa", "a\x01"])
    assert values(s.str.contains(r"(a)\1")) == [False, True]


def test_replace_takes_the_replacement_as_it_stands(cudf):
    s = cudf.Series(["ab"])
    assert values(s.str.replace("(a)", r"<\1>")) == [r"<\1>b"]
    assert values(s.str.replace_with_backrefs("(a)", r"<\1>${0}")) == ["<a>ab"]
    assert values(s.str.replace("a.", "x")) == ["x"]  # a pattern by default, unlike pandas'


def test_strip_leaves_unicode_blanks(cudf):
    assert values(cudf.Series(["\u2003a\u2003", " \ta\n"]).str.strip()) == ["\u2003a\u2003", "a"]


def test_slice_replace_takes_negative_bounds_for_the_end(cudf):
    s = cudf.Series(["abcdef"])
    assert values(s.str.slice_replace(-2, None, "X")) == ["abcdefX"]
    assert values(s.str.insert(-1, "X")) == ["abcdefX"]


def test_split_expand_and_partition(cudf):
    s = cudf.Series(["a b  c", None, "d"], index=[5, 6, 7])
    frame = s.str.split(expand=True)
    assert frame.to_arrow(preserve_index=False).to_pylist()[0] == {"0": "a", "1": "b", "2": "c"}
    assert [values(frame[at]) for at in (0, 1)] == [["a", None, "d"], ["b", None, None]]
    assert list(frame.index.to_pandas()) == [5, 6, 7]
    assert [values(s.str.partition(" ")[at]) for at in range(3)] == [
        ["a", None, "d"],
        [" ", None, ""],
        ["b  c", None, ""],
    ]


def test_extract_names_columns_and_leaves_nulls(cudf):
    s = cudf.Series(["a1", "b", None])
    frame = s.str.extract(r"(?P<letter>[ab])(?P<digit>\d)?")
    assert list(frame.columns) == ["letter", "digit"]
    assert values(frame["digit"]) == ["1", None, None]
    with pytest.raises(RuntimeError, match="Group indicators not found"):
        s.str.extract("a")


def test_tokens(cudf):
    s = cudf.Series(["this is  it", None, "so"], index=[3, 4, 5])
    tokens = s.str.tokenize()
    assert values(tokens) == ["this", "is", "it", "so"]
    assert list(tokens.index.to_pandas()) == [3, 3, 3, 5]
    assert values(s.str.token_count()) == [3, 0, 1]
    assert values(s.str.ngrams_tokenize(2)) == ["this_is", "is_it"]
    assert values(cudf.Series(["a", "b", None, "c"]).str.ngrams(2)) == ["a_b", "b_c"]
    assert values(s.str.replace_tokens(["is"], ["was"])) == ["this was  it", None, "so"]
    assert values(s.str.filter_tokens(3)) == ["this   ", None, ""]


def test_murmur3_is_the_published_one(cudf):
    from cudf.core.accessors.string import murmur3

    # Vectors of the reference implementation (smhasher).
    assert murmur3(b"", 0) == 0
    assert murmur3(b"", 1) == 0x514E28B7
    assert murmur3(b"\xff\xff\xff\xff", 0) == 0x76293B50
    assert murmur3(b"Hello, world!", 0x9747B28C) == 0x24884CBA


def test_edit_distance(cudf):
    s = cudf.Series(["kitten", "", None, "flaw"])
    assert values(s.str.edit_distance(["sitting", "abc", "ab", "lawn"])) == [3, 3, 2, 2]


def test_lower_ends_words_with_the_final_sigma(cudf):
    assert values(cudf.Series(["ΟΔΥΣΣΕΥΣ", "Σ"]).str.lower()) == ["οδυσσευς", "ς"]


def test_only_strings_have_str(cudf):
    with pytest.raises(AttributeError, match="Can only use .str accessor with string values, not integer"):
        _ = cudf.Series([1]).str


def test_parts_of_json(cudf):
    s = cudf.Series(['{"a": [{"b": "x"}, {"b": 2, "c": [1, 2]}], "d": null}', "nothing", None])
    assert values(s.str.get_json_object("$.a[0].b")) == ["x", None, None]
    assert values(s.str.get_json_object("$.a[*].b")) == ['["x",2]', None, None]
    assert values(s.str.get_json_object("$.a[1].c"))[0] == "[1, 2]"
    assert values(s.str.get_json_object("$.a[*].c", missing_fields_as_nulls=True))[0] == "[null,[1, 2]]"
    assert values(s.str.get_json_object("$.a[0].b", strip_quotes_from_single_strings=False))[0] == '"x"'
    assert values(s.str.get_json_object("$.q"))[0] is None
    quoted = cudf.Series(["{'a': 'x'}"])
    assert values(quoted.str.get_json_object("$.a")) == [None]
    assert values(quoted.str.get_json_object("$.a", allow_single_quotes=True)) == ["x"]
    with pytest.raises(ValueError, match="invalid JSONPath"):
        s.str.get_json_object("a")


def test_a_part_of_a_column_is_as_the_whole(cudf):
    whole = cudf.Series(["e1", "d", "Aa", "Fb ", "b", "c-c"])
    methods = "lower upper capitalize title swapcase strip lstrip rstrip len isalpha isdigit isupper islower isspace isalnum".split()
    for part in (slice(3, None), slice(1, 4), slice(None, 2), slice(3, 3)):
        for name in methods:
            got = getattr(whole.iloc[part].str, name)()
            assert got.to_arrow().to_pylist() == getattr(whole.str, name)().iloc[part].to_arrow().to_pylist(), (
                name,
                part,
            )
    both = cudf.concat([whole.iloc[:3].str.upper(), whole.iloc[3:].str.upper()])
    assert both.to_arrow().to_pylist() == whole.str.upper().to_arrow().to_pylist()
