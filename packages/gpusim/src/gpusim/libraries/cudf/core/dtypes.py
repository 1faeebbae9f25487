"""cuDF's own dtypes: categories, lists, structs, decimals and intervals."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api.extensions import ExtensionDtype

STR = pd.StringDtype("pyarrow", na_value=np.nan)
_UNITS = ("s", "ms", "us", "ns")
SUPPORTED = frozenset(
    [np.dtype(c) for c in "bhilBHILfd?"] + [np.dtype(f"{k}8[{u}]") for k in "Mm" for u in _UNITS] + [np.dtype("object")]
)


class _BaseDtype(ExtensionDtype):
    """What cuDF's dtypes have in common."""

    na_value = pd.NA

    def __ne__(self, other: Any) -> bool:
        return not self == other

    __hash__ = object.__hash__


class CategoricalDtype(_BaseDtype):
    """Categories (None: not known yet, or a list-like without nulls) and whether they have an order."""

    name = "category"
    str = "|O08"
    kind = "O"

    def __init__(self, categories: Any = None, ordered: bool | None = False) -> None:
        if not (ordered is None or isinstance(ordered, bool)):
            raise ValueError("ordered must be a boolean or None")
        if categories is not None:
            if pd.api.types.is_scalar(categories):
                raise ValueError("categories must be a list-like object")
            categories = _host_index(categories)
            if isinstance(categories.dtype, pd.CategoricalDtype):
                categories = categories.categories
        self._categories, self._ordered = categories, ordered

    @property
    def categories(self) -> Any:
        """The categories as an Index."""
        import cudf

        return cudf.Index(pd.Index([], dtype=STR) if self._categories is None else self._categories)

    @property
    def type(self) -> Any:
        """Type of the categories' values."""
        return self.categories.dtype.type

    @property
    def ordered(self) -> bool | None:
        """Whether ``<`` means something."""
        return self._ordered

    def to_pandas(self) -> pd.CategoricalDtype:
        """The same for pandas."""
        return pd.CategoricalDtype(self._categories, self._ordered)

    @classmethod
    def from_pandas(cls, dtype: pd.CategoricalDtype) -> CategoricalDtype:
        """The same from pandas."""
        return cls(dtype.categories, dtype.ordered)

    def _internal_eq(self, other: Any, strict: bool = True) -> bool:
        if type(other) is type(self.name):
            return other == self.name
        if other is self:
            return True
        if not isinstance(other, CategoricalDtype):
            return False
        if other.ordered is None and other._categories is None:
            return True
        if self._categories is None or other._categories is None:
            return self._categories is other._categories
        if self.ordered or other.ordered or strict:
            return self.ordered == other.ordered and self._categories.equals(other._categories)
        if self._categories.dtype != other._categories.dtype or len(self._categories) != len(other._categories):
            return False
        return self._categories.sort_values().equals(other._categories.sort_values())

    def __eq__(self, other: Any) -> bool:
        return self._internal_eq(other, strict=False)

    __hash__ = None  # as cuDF's: it defines equality alone

    @classmethod
    def construct_from_string(cls, string: Any) -> Any:
        """Refused by cuDF too."""
        raise NotImplementedError()

    def __repr__(self) -> Any:
        return repr(self.to_pandas())


def _host_index(values: Any) -> pd.Index:
    values = getattr(values, "_p", values)
    if isinstance(values, pd.Index):
        return values
    if hasattr(values, "get") and hasattr(values, "__cuda_array_interface__"):
        values = values.get()
    if isinstance(values, pd.Series):
        values = values.array
    values = list(values) if not hasattr(values, "dtype") else values
    index = pd.Index(values) if len(values) else pd.Index(values, dtype=getattr(values, "dtype", STR))
    numpy_dtype = getattr(index.dtype, "numpy_dtype", None)
    if numpy_dtype is not None and not isinstance(index.dtype, pd.ArrowDtype):
        index = index.astype(numpy_dtype)
    return index


class ListDtype(_BaseDtype):
    """Lists of ``element_type``."""

    name = "list"
    kind = "O"

    def __init__(self, element_type: Any) -> None:
        self._element = dtype(element_type)

    @property
    def element_type(self) -> Any:
        """Type of the elements."""
        return self._element

    @property
    def leaf_type(self) -> Any:
        """Type of the innermost elements."""
        return self._element.leaf_type if isinstance(self._element, ListDtype) else self._element

    type = pa.array

    @classmethod
    def from_arrow(cls, typ: Any) -> ListDtype:
        """From an Arrow list type."""
        from .column import dtype_of

        return cls(dtype_of(typ.value_type))

    def to_arrow(self) -> pa.DataType:
        """As an Arrow list type."""
        from .column import arrow_type

        return pa.list_(arrow_type(self._element))

    def __eq__(self, other: Any) -> bool:
        return (
            other == self.name
            if isinstance(other, str)
            else type(self) is type(other) and self._element == other._element
        )

    def __hash__(self) -> int:
        return hash(self.to_arrow())

    def __repr__(self) -> str:
        inner = self._element
        return f"ListDtype({inner!r})" if isinstance(inner, (ListDtype, StructDtype)) else f"ListDtype({inner})"


class StructDtype(_BaseDtype):
    """Records with named ``fields``."""

    name = "struct"
    kind = "O"
    type = dict

    def __init__(self, fields: dict) -> None:
        self._fields = {name: dtype(field) for name, field in fields.items()}

    @property
    def fields(self) -> dict:
        """Type of each field."""
        return self._fields

    @property
    def itemsize(self) -> int:
        """Bytes of one record."""
        return sum(field.itemsize for field in self._fields.values())

    @classmethod
    def from_arrow(cls, typ: Any) -> StructDtype:
        """From an Arrow struct type."""
        from .column import dtype_of

        return cls({field.name: dtype_of(field.type) for field in typ})

    def to_arrow(self) -> pa.DataType:
        """As an Arrow struct type."""
        from .column import arrow_type

        return pa.struct({name: arrow_type(field) for name, field in self._fields.items()})

    def __eq__(self, other: Any) -> bool:
        return (
            other == self.name
            if isinstance(other, str)
            else type(self) is type(other) and self._fields == other._fields
        )

    def __hash__(self) -> int:
        return hash(self.to_arrow())

    def __repr__(self) -> str:
        return f"StructDtype({self._fields})"


class DecimalDtype(_BaseDtype):
    """Fixed-point numbers of ``precision`` digits, ``scale`` of them behind the point."""

    _metadata = ("precision", "scale")
    kind = "O"

    def __init__(self, precision: int, scale: int = 0) -> None:
        if precision > self.MAX_PRECISION:
            raise ValueError(f"Cannot construct a {type(self).__name__} with precision > {self.MAX_PRECISION}")
        if abs(scale) > precision:
            raise ValueError(f"{scale=} cannot exceed {precision=}")
        self.precision, self.scale = precision, scale

    @property
    def str(self) -> Any:
        """Name with the digits."""
        return f"{self.name}({self.precision}, {self.scale})"

    @property
    def type(self) -> Any:
        """Type of the values."""
        from decimal import Decimal

        return Decimal

    def to_arrow(self) -> pa.DataType:
        """As an Arrow decimal type."""
        make = {"decimal32": pa.decimal32, "decimal64": pa.decimal64, "decimal128": pa.decimal128}[self.name]
        return make(self.precision, self.scale)

    @classmethod
    def from_arrow(cls, typ: Any) -> DecimalDtype:
        """From an Arrow decimal type."""
        return cls(typ.precision, typ.scale)

    def __eq__(self, other: Any) -> bool:
        if type(other) is type(self.name):
            return other == self.name
        return type(self) is type(other) and (self.precision, self.scale) == (other.precision, other.scale)

    def __hash__(self) -> int:
        return hash(self.to_arrow())

    def __repr__(self) -> Any:
        return f"{type(self).__name__}(precision={self.precision}, scale={self.scale})"


class Decimal32Dtype(DecimalDtype):
    """Up to 9 digits."""

    name, MAX_PRECISION, itemsize = "decimal32", 9, 4


class Decimal64Dtype(DecimalDtype):
    """Up to 18 digits."""

    name, MAX_PRECISION, itemsize = "decimal64", 18, 8


class Decimal128Dtype(DecimalDtype):
    """Up to 38 digits."""

    name, MAX_PRECISION, itemsize = "decimal128", 38, 16


class IntervalDtype(_BaseDtype):
    """Intervals of ``subtype``, closed on one side, both or neither."""

    name = "interval"
    kind = "O"
    type = pd.Interval

    def __init__(self, subtype: Any = None, closed: str | None = None) -> None:
        if closed not in {"left", "right", "neither", "both", None}:
            raise ValueError(f"{closed=} is not valid")
        if isinstance(subtype, (IntervalDtype, pd.IntervalDtype)):
            if closed is not None and subtype.closed is not None and closed != subtype.closed:
                raise ValueError(
                    "dtype.closed and 'closed' do not match. Try IntervalDtype(dtype.subtype, closed) instead."
                )
            closed, subtype = closed or subtype.closed, subtype.subtype
        if isinstance(subtype, str) and subtype.lower().startswith("interval"):
            parsed = pd.IntervalDtype(subtype, closed)
            closed, subtype = parsed.closed, parsed.subtype
        self._subtype = None
        if subtype is not None:
            try:
                self._subtype = dtype(subtype)
            except TypeError as error:
                raise TypeError(f"could not construct IntervalDtype from {subtype!r}") from error
            if isinstance(self._subtype, (CategoricalDtype, pd.StringDtype)) or self._subtype.kind in "OU":
                raise TypeError("category, object, and string subtypes are not supported for IntervalDtype")
        self.closed = closed

    @property
    def subtype(self) -> Any:
        """Type of the bounds."""
        return self._subtype

    @property
    def fields(self) -> dict:
        """The bounds as a struct's fields."""
        return {} if self._subtype is None else {"left": self._subtype, "right": self._subtype}

    @classmethod
    def construct_from_string(cls, string: str) -> IntervalDtype:
        """From its name."""
        return cls(pd.IntervalDtype.construct_from_string(string))

    def to_pandas(self) -> pd.IntervalDtype:
        """The same for pandas."""
        return pd.IntervalDtype(self._subtype, self.closed)

    def __eq__(self, other: Any) -> bool:
        if isinstance(other, str):
            return other in (self.name, repr(self))
        if type(self) is not type(other):
            return False
        return other.subtype is None or (self._subtype == other._subtype and self.closed == other.closed)

    def __hash__(self) -> int:
        return hash((self._subtype, self.closed))

    def __repr__(self) -> str:
        if self._subtype is None:
            return "interval"
        return f"interval[{self._subtype}]" if self.closed is None else f"interval[{self._subtype}, {self.closed}]"

    __str__ = __repr__


def dtype(arbitrary: Any) -> Any:
    """The dtype that a name, a type or a dtype stands for in cuDF.

    Raises
    ------
    TypeError
        For what cuDF has no column for, such as complex and float16.
    """
    if isinstance(arbitrary, _BaseDtype):
        return arbitrary
    if inspect.isclass(arbitrary) and issubclass(arbitrary, ExtensionDtype):
        raise TypeError(
            f"Expected an instance of {arbitrary.__name__}, but got the class instead. Try instantiating 'dtype'."
        )
    if arbitrary is str or (isinstance(arbitrary, str) and arbitrary == "str"):
        return STR
    try:
        found = np.dtype(arbitrary)
    except TypeError:
        pass
    else:
        if found.kind != "U" and found not in SUPPORTED:
            raise TypeError(f"Unsupported type {found}")
        return found
    found = pd.api.types.pandas_dtype(arbitrary)
    if isinstance(found, pd.CategoricalDtype):
        return CategoricalDtype(found.categories, found.ordered)
    if isinstance(found, pd.IntervalDtype):
        return IntervalDtype(found.subtype, found.closed)
    if isinstance(found, pd.ArrowDtype):
        from .column import dtype_of

        return dtype_of(found.pyarrow_dtype)
    if hasattr(found, "numpy_dtype") and not isinstance(found, pd.PeriodDtype):
        return found.numpy_dtype
    if found.kind in "mM" or isinstance(found, (pd.StringDtype, pd.DatetimeTZDtype)):
        return found
    raise TypeError(f"Cannot interpret {arbitrary} as a valid cuDF dtype")
