"""The methods of Tensor that are written in Python, added to the native type."""

from __future__ import annotations

import copy
import importlib
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _C, _functions, _math, _shapes, autograd
from ._C import ArgumentError, DeviceError, Generator, Tensor, dtype as Dtype, ops
from ._errors import named
from ._repr import tensor_repr
from ._types import (
    CPU,
    DeviceLike,
    Ints,
    TensorLike,
    beside,
    check_device,
    on_device,
    sizes_of,
    where_to,
)


class _TensorMethods(Tensor if TYPE_CHECKING else object):  # type: ignore[misc]
    """The bodies; `self` is always a Tensor. Nothing is an instance of this class."""

    __array_priority__ = 1000  # operators with NumPy arrays on the left are ours

    def __repr__(self: Tensor) -> str:
        return tensor_repr(self)

    def __format__(self: Tensor, spec: str) -> str:
        if self.ndim == 0:
            return format(self.item(), spec)
        return object.__format__(self, spec)

    def __round__(self: Tensor, ndigits: int | None = None) -> Tensor:
        if not ndigits:
            return ops.round(self)
        return ops.round(self * 10.0**ndigits) / 10.0**ndigits

    def __divmod__(self: Tensor, other: Any) -> tuple[Tensor, Tensor]:
        return self // other, self % other

    def __rdivmod__(self: Tensor, other: Any) -> tuple[Tensor, Tensor]:
        return other // self, other % self

    def __contains__(self: Tensor, element: TensorLike) -> bool:
        return bool((self == element).any())

    def __reversed__(self: Tensor) -> Tensor:
        return self.flip(0) if self.ndim else self

    # Gradients.

    def backward(
        self: Tensor,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: autograd.Tensors | None = None,
    ) -> None:
        """Adds to `grad` of the leaves that the tensor depends on."""
        if inputs is not None:
            autograd.backward(self, gradient, retain_graph, create_graph, inputs)
            return
        retain = create_graph if retain_graph is None else retain_graph
        _C.backward((self,), None if gradient is None else (gradient,), retain, create_graph)

    def retain_grad(self: Tensor) -> None:
        """Keeps the gradient of a result in its `grad`, as for a leaf."""
        if self.is_leaf or self.__dict__.get("_retains_grad"):
            return
        self.__dict__["_retains_grad"] = True
        reference = weakref.ref(self)

        def keep(gradient: Tensor) -> None:
            tensor = reference()
            if tensor is not None:
                tensor.grad = gradient if tensor.grad is None else tensor.grad + gradient

        self.register_hook(keep)

    @property
    def retains_grad(self: Tensor) -> bool:
        return bool(self.__dict__.get("_retains_grad", False))

    # Copies and other forms.

    def numpy(self: Tensor, *, force: bool = False) -> Any:
        """A NumPy array over the same memory."""
        import numpy

        if self.requires_grad:
            if not force:
                raise ArgumentError("numpy: the tensor requires gradients; call detach() first")
            self = self.detach()
        if not self.is_cpu:
            if not force:
                raise DeviceError(
                    f"numpy: the tensor is on {self.device}; copy it to the host with cpu() first"
                )
            self = self.cpu()
        array = numpy.asarray(self._array())
        if self.dtype == _C.bfloat16:
            return array.view(importlib.import_module("ml_dtypes").bfloat16)
        return array

    def __array__(self: Tensor, dtype: Any = None, copy: bool | None = None) -> Any:
        import numpy

        array = self.numpy()
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        return numpy.array(array) if copy else array

    def __deepcopy__(self: Tensor, memo: dict[int, Any]) -> Tensor:
        if id(self) in memo:
            return memo[id(self)]  # type: ignore[no-any-return]
        if not self.is_leaf:
            raise ArgumentError("deepcopy: the tensor is a result with history; use clone()")
        made = type(self)._make_subclass(self.detach().clone(), self.requires_grad)
        memo[id(self)] = made
        if self.grad is not None:
            made.grad = self.grad.detach().clone()
        for name, value in self.__dict__.items():
            made.__dict__[name] = copy.deepcopy(value, memo)
        return made

    def __reduce_ex__(self: Tensor, protocol: Any) -> Any:
        if not self.is_leaf:
            raise ArgumentError("pickle: the tensor is a result with history; use detach()")
        content = _C.to_bytes(self), self.dtype, tuple(self.shape)
        attributes = self.__dict__ or None
        return _rebuild, (type(self), *content, self.requires_grad, attributes, str(self.device))

    def to(self: Tensor, *args: Any, **options: Any) -> Tensor:
        """to(dtype), to(device), to(device, dtype) or to(other)."""
        dtype, device = where_to(args, options)
        result = self if dtype is None or dtype == self.dtype else ops.cast(self, dtype)
        if device is not None:
            result = _C.to_device(result, check_device(device))
        return self.clone() if result is self and options.get("copy") else result

    def type(self: Tensor, dtype: Dtype | None = None) -> Any:
        return f"rondo.{self.dtype.name}" if dtype is None else self.to(dtype)

    def type_as(self: Tensor, other: Tensor) -> Tensor:
        return self.to(other.dtype)

    def cpu(self: Tensor) -> Tensor:
        return _C.to_device(self, CPU)

    def cuda(self: Tensor, device: DeviceLike = None, non_blocking: bool = False) -> Tensor:
        return _C.to_device(self, check_device("cuda" if device is None else device))

    def pin_memory(self: Tensor) -> Tensor:
        """Copies to devices do not need pinned memory: itself."""
        return self

    def where(self: Tensor, condition: Tensor, other: TensorLike) -> Tensor:
        """The elements where the condition holds, those of `other` elsewhere."""
        return ops.where(condition, self, other)

    # Shapes.

    @named
    def expand_as(self: Tensor, other: Tensor) -> Tensor:
        return self.expand(other.shape)

    @named
    def view_as(self: Tensor, other: Tensor) -> Tensor:
        return self.view(other.shape)

    @named
    def reshape_as(self: Tensor, other: Tensor) -> Tensor:
        return self.reshape(other.shape)

    def unflatten(self: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
        return _functions.unflatten(self, dim, sizes)

    @named
    def sum_to_size(self: Tensor, *size: Any) -> Tensor:
        """Sums over the axes that were broadcast from `size`."""
        shape = sizes_of("sum_to_size", size)
        lead = self.ndim - len(shape)
        axes = [i for i in range(self.ndim) if i < lead or shape[i - lead] == 1 != self.size(i)]
        summed = ops.sum(self, axes, True) if axes else self
        return summed.reshape(shape)

    def trace(self: Tensor) -> Tensor:
        """The sum of the diagonal of a matrix. (rondo.trace makes programs.)"""
        return ops.sum(ops.diagonal(self))

    # What it is.

    @property
    def is_cpu(self: Tensor) -> bool:
        return self.device.type == "cpu"

    @property
    def is_meta(self: Tensor) -> bool:
        return self.device.type == "meta"

    @property
    def is_sparse(self: Tensor) -> bool:
        return False

    @property
    def is_quantized(self: Tensor) -> bool:
        return False

    @property
    def H(self: Tensor) -> Tensor:
        return _functions.t(self)

    @property
    def mH(self: Tensor) -> Tensor:
        return self.mT

    def get_device(self: Tensor) -> int:
        """The number of the GPU; -1 on the CPU."""
        return self.device.index if self.is_cuda else -1  # type: ignore[return-value]

    # New tensors of the same dtype, on the same device.

    def new_tensor(
        self: Tensor, data: Any, *, dtype: Dtype | None = None, device: DeviceLike = None, **_: Any
    ) -> Tensor:
        made = _C.tensor(data, dtype or self.dtype)
        return _C.to_device(made, self.device if device is None else check_device(device))

    def new_empty(
        self: Tensor, *size: Any, dtype: Dtype | None = None, device: DeviceLike = None, **_: Any
    ) -> Tensor:
        place = self.device if device is None else check_device(device)
        return _C.empty(sizes_of("new_empty", size), dtype or self.dtype, place)

    @named
    def new_zeros(
        self: Tensor, *size: Any, dtype: Dtype | None = None, device: DeviceLike = None, **_: Any
    ) -> Tensor:
        return _new(self, sizes_of("new_zeros", size), 0, dtype, device)

    @named
    def new_ones(
        self: Tensor, *size: Any, dtype: Dtype | None = None, device: DeviceLike = None, **_: Any
    ) -> Tensor:
        return _new(self, sizes_of("new_ones", size), 1, dtype, device)

    @named
    def new_full(
        self: Tensor,
        size: Ints,
        fill_value: TensorLike,
        *,
        dtype: Dtype | None = None,
        device: DeviceLike = None,
        **_: Any,
    ) -> Tensor:
        return _new(self, size, fill_value, dtype, device)

    # In place.

    @named
    def fill_(self: Tensor, value: TensorLike) -> Tensor:
        return self.copy_(value)

    @named
    def zero_(self: Tensor) -> Tensor:
        return self.copy_(0)

    @named
    def uniform_(
        self: Tensor, a: float = 0.0, b: float = 1.0, *, generator: Generator | None = None
    ) -> Tensor:
        uniform = beside(self, ops.rand, self.shape, self.dtype, generator=generator)
        return self.copy_(uniform * (b - a) + a)

    @named
    def normal_(
        self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None
    ) -> Tensor:
        fresh = beside(self, ops.randn, self.shape, self.dtype, generator=generator)
        return self.copy_(fresh * std + mean)

    @named
    def bernoulli_(
        self: Tensor, p: TensorLike = 0.5, *, generator: Generator | None = None
    ) -> Tensor:
        if not isinstance(p, Tensor) and not 0 <= p <= 1:
            raise ArgumentError(f"bernoulli_: p is {p}; expected 0 to 1")
        return self.copy_(beside(self, ops.rand, self.shape, generator=generator) < p)

    @named
    def exponential_(
        self: Tensor, lambd: float = 1.0, *, generator: Generator | None = None
    ) -> Tensor:
        uniform = beside(self, ops.rand, self.shape, self.dtype, generator=generator)
        return self.copy_(ops.log1p(-uniform) * (-1.0 / lambd))

    @named
    def random_(
        self: Tensor, *bounds: int, generator: Generator | None = None
    ) -> Tensor:
        """Integers in [0, to) or [from, to); without bounds those that the dtype holds exactly."""
        fraction = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
        bits = fraction.get(self.dtype.name, self.dtype.itemsize * 8 - int(self.dtype.is_signed))
        low, high = (0, *bounds)[-2:] if bounds else (0, 2 ** min(bits, 62))
        return self.copy_(beside(self, ops.randint, low, high, self.shape, generator=generator))

    @named
    def fill_diagonal_(self: Tensor, fill_value: TensorLike) -> Tensor:
        ops.diagonal(self).copy_(fill_value)
        return self

    @named
    def index_put_(
        self: Tensor, indices: Sequence[Tensor], values: TensorLike, accumulate: bool = False
    ) -> Tensor:
        return ops.index_put_(self, values, accumulate, indices=list(indices))

    @named
    def index_put(
        self: Tensor, indices: Sequence[Tensor], values: TensorLike, accumulate: bool = False
    ) -> Tensor:
        return ops.index_put(self, values, accumulate, indices=list(indices))


def _new(
    like: Tensor, size: Ints, value: TensorLike, dtype: Dtype | None, device: DeviceLike
) -> Tensor:
    if device is None and not like.is_cuda:
        return ops.full(size, value, dtype or like.dtype)
    place = like.device if device is None else check_device(device)
    with on_device(place):
        return _C.to_device(ops.full(size, value, dtype or like.dtype), place)


def _rebuild(
    kind: Any,
    content: bytes,
    dtype: Dtype,
    shape: tuple[int, ...],
    requires_grad: bool,
    attributes: dict[str, Any] | None,
    device: str = "cpu",
) -> Tensor:
    data = _C.to_device(_C.from_bytes(content, dtype, shape), check_device(device))
    made: Tensor = kind._make_subclass(data, requires_grad)
    if attributes:
        made.__dict__.update(attributes)
    return made


def _cast_method(name: str, dtype: Dtype) -> Any:
    def method(self: Tensor) -> Tensor:
        return self if self.dtype == dtype else ops.cast(self, dtype)

    method.__name__ = name
    method.__doc__ = f"The elements as {dtype.name}."
    return method


_CASTS = {
    "bool": _C.bool,
    "byte": _C.uint8,
    "char": _C.int8,
    "short": _C.int16,
    "int": _C.int32,
    "long": _C.int64,
    "half": _C.float16,
    "bfloat16": _C.bfloat16,
    "float": _C.float32,
    "double": _C.float64,
}

# Functions of rondo that are methods too.
_METHODS = {
    _functions: "addmm allclose chunk equal flatten isclose max min mm movedim mv narrow ravel "
    "repeat repeat_interleave split t tile unbind is_complex is_nonzero is_same_size is_signed vdot",
    _math: "acosh aminmax arccosh arcsinh arctanh asinh atanh bincount clamp_max clamp_max_ clamp_min "
    "clamp_min_ copysign deg2rad diff dist float_power fmax fmin frac heaviside histc hypot isin isneginf "
    "isposinf kthvalue logaddexp logaddexp2 logit median msort nanmean nansum positive quantile rad2deg "
    "signbit sinc unique xlogy unique_consecutive",
    _shapes: "addmv addr argwhere baddbmm broadcast_to corrcoef cov cross diag diag_embed "
    "diagflat dsplit fliplr flipud hsplit index_copy index_copy_ index_fill index_fill_ inner kron "
    "matrix_power rot90 select_scatter split_with_sizes take tensor_split unfold vsplit",
}

# Other names of ops, as functions and as methods.
ALIASES = {
    "absolute": "abs",
    "arccos": "acos",
    "arcsin": "asin",
    "arctan": "atan",
    "arctan2": "atan2",
    "clip": "clamp",
    "concat": "cat",
    "divide": "div",
    "fix": "trunc",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "moveaxis": "movedim",
    "multiply": "mul",
    "negative": "neg",
    "not_equal": "ne",
    "sgn": "sign",
    "subtract": "sub",
    "swapaxes": "transpose",
    "swapdims": "transpose",
    "true_divide": "div",
}


def _install() -> None:
    for name, value in vars(_TensorMethods).items():
        if name not in ("__module__", "__dict__", "__weakref__", "__doc__"):
            setattr(Tensor, name, value)
    for name, dtype in _CASTS.items():
        setattr(Tensor, name, _cast_method(name, dtype))
    for module, names in _METHODS.items():
        for name in names.split():
            setattr(Tensor, name, getattr(module, name))
    for name, target in ALIASES.items():
        for suffix in ("", "_"):
            if hasattr(Tensor, target + suffix):
                setattr(Tensor, name + suffix, getattr(Tensor, target + suffix))


_install()
