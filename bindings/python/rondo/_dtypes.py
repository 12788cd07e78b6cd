"""What programs ask about dtypes: finfo, iinfo, and which one is the default."""

from __future__ import annotations

from . import _C
from ._C import ArgumentError, DtypeError, dtype as Dtype

# Of each floating dtype: bits, and the bits of its fraction and of its exponent.
_FLOATS = {
    _C.float16: (16, 10, 5),
    _C.bfloat16: (16, 7, 8),
    _C.float32: (32, 23, 8),
    _C.float64: (64, 52, 11),
}
_INTEGERS = (_C.uint8, _C.int8, _C.int16, _C.int32, _C.int64)


class finfo:
    """Limits of a floating dtype, of float32 if none is named."""

    def __init__(self, type: Dtype | None = None) -> None:
        chosen = _C.float32 if type is None else type
        if chosen not in _FLOATS:
            raise DtypeError(f"finfo: the dtype is {type}; expected a floating one, or use iinfo")
        self.bits, fraction, exponent = _FLOATS[chosen]
        bias = 2 ** (exponent - 1) - 1
        self.dtype = chosen.name
        self.eps = 2.0**-fraction
        self.max = (2 - self.eps) * 2.0**bias
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0 ** (1 - bias)
        self.resolution = 10.0 ** -int(fraction * 0.30103)

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
            f"eps={self.eps:g}, smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, "
            f"dtype={self.dtype})"
        )


class iinfo:
    """Limits of an integer dtype."""

    def __init__(self, type: Dtype) -> None:
        if type not in _INTEGERS:
            raise DtypeError(f"iinfo: the dtype is {type}; expected an integer one, or use finfo")
        self.dtype = type.name
        self.bits = type.itemsize * 8
        values = self.bits - (1 if type.is_signed else 0)
        self.max = 2**values - 1
        self.min = -(2**values) if type.is_signed else 0

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


def get_default_dtype() -> Dtype:
    """The dtype of new floating tensors: float32."""
    return _C.float32


def set_default_dtype(d: Dtype) -> None:
    """Takes float32 alone, which is the default."""
    if d is not _C.float32:
        raise ArgumentError(
            f"set_default_dtype: the dtype is {d}; only rondo.float32 is supported; pass dtype= "
            "to the functions that make tensors"
        )


def can_cast(from_: Dtype, to: Dtype) -> bool:
    """Whether arithmetic may put results of one dtype into the other: no lower kind."""

    def kind(d: Dtype) -> int:
        return 2 if d.is_floating_point else 0 if d is _C.bool else 1

    return kind(from_) <= kind(to)
