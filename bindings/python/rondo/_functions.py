"""Functions that are made of ops: splitting, joining, products, comparing of whole tensors."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any, NamedTuple

from . import _C
from ._C import ArgumentError, ShapeError, Tensor, dtype as Dtype, ops
from ._errors import named
from ._types import Ints, Number, TensorLike, axis_of


class MinMax(NamedTuple):
    values: Tensor
    indices: Tensor


def is_tensor(obj: object) -> bool:
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    return input.is_floating_point()


def is_complex(input: Tensor) -> bool:
    """There are no complex numbers."""
    return False


def is_signed(input: Tensor) -> bool:
    return input.dtype.is_signed


def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is not 0."""
    return bool(input)


def is_same_size(input: Tensor, other: Tensor) -> bool:
    return input.shape == other.shape


def detach(input: Tensor) -> Tensor:
    return input.detach()


def numel(input: Tensor) -> int:
    return input.numel()


# Joining and splitting.


@named
def split(tensor: Tensor, split_size_or_sections: Ints, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive parts along an axis: of one size (the last may be less), or of sizes."""
    size = tensor.size(dim)
    if isinstance(split_size_or_sections, int):
        step = split_size_or_sections
        if step <= 0 and size > 0:
            raise ArgumentError(f"split: the size is {step}; it must be positive")
        starts = range(0, size, step) if size else (0,)
        return tuple(ops.slice(tensor, dim, start, start + step) for start in starts)
    sections = tuple(split_size_or_sections)
    if builtins.min(sections, default=0) < 0:
        raise ArgumentError(f"split: the sizes are {sections}; they must be 0 or more")
    if sum(sections) != size:
        raise ShapeError(f"split: the sizes {sections} add up to {sum(sections)}; expected {size}")
    parts = []
    start = 0
    for length in sections:
        parts.append(ops.slice(tensor, dim, start, start + length))
        start += length
    return tuple(parts)


@named
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` parts of equal size, the last of which may be less."""
    if chunks <= 0:
        raise ArgumentError(f"chunk: chunks is {chunks}; it must be positive")
    size = input.size(dim)
    return split(input, builtins.max(1, -(-size // chunks)), dim)


@named
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of the indices of an axis, one after the other."""
    return tuple(ops.select(input, dim, i) for i in range(input.size(dim)))


@named
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """A view of `length` indices of an axis, from `start` on (from the end where negative)."""
    size = input.size(dim)
    first = start + size if start < 0 else start
    if first < 0 or length < 0 or first + length > size:
        raise ArgumentError(
            f"narrow: {length} elements from {start} on, of {size}; they must lie within the axis"
        )
    return ops.slice(input, dim, first, first + length)


def _rank_at_least(tensors: Sequence[Tensor], rank: int) -> list[Tensor]:
    return [t.reshape((1,) * (rank - t.ndim) + tuple(t.shape)) if t.ndim < rank else t
            for t in tensors]


@named
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors joined along axis 1, vectors along axis 0."""
    listed = _rank_at_least(tensors, 1)
    return ops.cat(listed, 0 if listed[0].ndim == 1 else 1)


@named
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors joined along axis 0; vectors are rows."""
    return ops.cat(_rank_at_least(tensors, 2), 0)


row_stack = vstack


# Shapes.


@named
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Neighbouring axes made one."""
    if start_dim == 1 and end_dim == -1 and input.ndim > 1:
        return input.reshape(input.size(0), -1)
    if input.ndim == 0:
        return input.reshape(1)
    shape = input.shape
    first = axis_of("flatten", start_dim, input.ndim)
    last = axis_of("flatten", end_dim, input.ndim)
    if first > last:
        raise ArgumentError(f"flatten: axis {start_dim} is behind axis {end_dim}; swap them")
    size = 1
    for i in range(first, last + 1):
        size *= shape[i]
    return input.reshape((*shape[:first], size, *shape[last + 1 :]))


@named
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One axis made several."""
    axis = axis_of("unflatten", dim, input.ndim)
    return input.reshape((*input.shape[:axis], *sizes, *input.shape[axis + 1 :]))


@named
def ravel(input: Tensor) -> Tensor:
    """All elements in one axis, in row-major order."""
    return input.reshape(-1)


@named
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; vectors stay as they are."""
    if input.ndim > 2:
        raise ShapeError(f"t: the shape is {list(input.shape)}; expected at most two axes")
    return input if input.ndim < 2 else ops.transpose(input, 0, 1)


@named
def movedim(input: Tensor, source: Ints, destination: Ints) -> Tensor:
    """Axes moved to other places; the others keep their order."""
    rank = input.ndim
    sources = [axis_of("movedim", s, rank) for s in _listed(source)]
    targets = [axis_of("movedim", d, rank) for d in _listed(destination)]
    if len(sources) != len(targets):
        raise ArgumentError(f"movedim: {len(sources)} axes to {len(targets)} places")
    rest = iter(axis for axis in range(rank) if axis not in sources)
    placed = dict(zip(targets, sources))
    return ops.permute(input, [placed[i] if i in placed else next(rest) for i in range(rank)])


def _listed(value: Ints) -> Sequence[int]:
    return [value] if isinstance(value, int) else value


@named
def repeat(input: Tensor, *repeats: Any) -> Tensor:
    """Copies side by side: repeats[i] along axis i, new axes in front."""
    counts = tuple(repeats[0]) if len(repeats) == 1 and not isinstance(repeats[0], int) else repeats
    lead = len(counts) - input.ndim
    if lead < 0:
        raise ShapeError(
            f"repeat: {len(counts)} numbers for shape {list(input.shape)}; expected at least one "
            "for each axis"
        )
    shape = (1,) * lead + tuple(input.shape)
    spread = input.reshape([s for size in shape for s in (1, size)])
    wide = ops.expand(spread, [s for pair in zip(counts, shape) for s in pair])
    return wide.reshape([count * size for count, size in zip(counts, shape)])


@named
def tile(input: Tensor, *dims: Any) -> Tensor:
    """repeat, where missing numbers are 1."""
    counts = tuple(dims[0]) if len(dims) == 1 and not isinstance(dims[0], int) else dims
    return repeat(input, *((1,) * (input.ndim - len(counts)) + tuple(counts)))


@named
def repeat_interleave(
    input: Tensor, repeats: int | Tensor, dim: int | None = None
) -> Tensor:
    """Each element (or index of an axis) `repeats` times in a row; a tensor has a number for each."""
    source = input.reshape(-1) if dim is None else input
    axis = axis_of("repeat_interleave", 0 if dim is None else dim, source.ndim)
    shape = list(source.shape)
    if isinstance(repeats, Tensor):
        counts = repeats.reshape(-1).tolist() * (shape[axis] if repeats.numel() == 1 else 1)
        if len(counts) != shape[axis]:
            raise ShapeError(
                f"repeat_interleave: {len(counts)} repeats for an axis of {shape[axis]}; expected "
                "one, or one for each index"
            )
        places = [i for i, count in enumerate(counts) for _ in range(count)]
        return ops.index_select(source, axis, _C.tensor(places, _C.int64))
    wide = ops.unsqueeze(source, axis + 1)
    wide = ops.expand(wide, shape[: axis + 1] + [repeats] + shape[axis + 1 :])
    return wide.reshape(shape[:axis] + [shape[axis] * repeats] + shape[axis + 1 :])


@named
def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """Each vector spread over the axes of all."""
    vectors = list(tensors[0]) if isinstance(tensors[0], (list, tuple)) else list(tensors)
    swap = indexing == "xy" and len(vectors) > 1
    if swap:
        vectors[0], vectors[1] = vectors[1], vectors[0]
    shape = [v.numel() for v in vectors]
    grids = []
    for i, vector in enumerate(vectors):
        lying = vector.reshape([-1 if i == j else 1 for j in range(len(vectors))])
        grids.append(ops.expand(lying, shape))
    if swap:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


# Products.


def _check_rank(op: str, tensor: Tensor, rank: int) -> Tensor:
    if tensor.ndim != rank:
        raise ShapeError(f"{op}: the shape is {list(tensor.shape)}; expected {rank} axes")
    return tensor


@named
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of matrices: [m, k], [k, n] -> [m, n]. Errors: ShapeError for other ranks."""
    return ops.matmul(_check_rank("mm", input, 2), _check_rank("mm", mat2, 2))


@named
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """A matrix times a vector: [m, k], [k] -> [m]. Errors: ShapeError for other ranks."""
    return ops.matmul(_check_rank("mv", input, 2), _check_rank("mv", vec, 1))


@named
def vdot(input: Tensor, other: Tensor) -> Tensor:
    return ops.dot(input, other)


@named
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1
) -> Tensor:
    """beta * input + alpha * (mat1 @ mat2); input broadcasts to [m, n]."""
    product = mm(mat1, mat2)
    scaled = product if alpha == 1 else product * alpha
    return scaled + (input if beta == 1 else input * beta)


# Reductions with several forms.


@named
def max(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The largest element; along `dim` values and indices; of two tensors the larger elements."""
    if dim is None:
        return ops.amax(input)
    if isinstance(dim, Tensor):
        return ops.maximum(input, dim)
    return MinMax(*ops.max_dim(input, dim, keepdim))


@named
def min(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The least element; along `dim` values and indices; of two tensors the smaller elements."""
    if dim is None:
        return ops.amin(input)
    if isinstance(dim, Tensor):
        return ops.minimum(input, dim)
    return MinMax(*ops.min_dim(input, dim, keepdim))


@named
def var_mean(
    input: Tensor,
    dim: Any = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: Number | None = None,
) -> tuple[Tensor, Tensor]:
    """The variance, over n - correction, and the mean; all elements where `dim` is left out.

    `correction` is 1 unless given, 0 where `unbiased` is False.
    """
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    fewer = int(unbiased) if correction is None else correction
    return ops.var(input, dim, fewer, keepdim), ops.mean(input, dim, keepdim)


@named
def std_mean(
    input: Tensor,
    dim: Any = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: Number | None = None,
) -> tuple[Tensor, Tensor]:
    """The standard deviation, over n - correction, and the mean; arguments as in var_mean."""
    variance, mean = var_mean(input, dim, unbiased, keepdim, correction=correction)
    return ops.sqrt(variance), mean


# Comparing whole tensors.


@named
def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """|input - other| <= atol + rtol * |other|, for each element.

    An infinity is close to itself alone, NaN to NaN with `equal_nan`.
    """
    distance = (input - other).abs()
    near = (input == other) | ops.isfinite(distance) & (distance <= atol + rtol * other.abs())
    return near | (ops.isnan(input) & ops.isnan(other)) if equal_nan else near


@named
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether isclose holds for all elements."""
    return bool(isclose(input, other, rtol, atol, equal_nan).all())


@named
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether shapes and all elements are equal."""
    return input.shape == other.shape and bool((input == other).all())


@named
def result_type(tensor1: TensorLike, tensor2: TensorLike) -> Dtype:
    """The dtype that arithmetic on the two gives."""
    return ops.mul(tensor1, tensor2).dtype


def promote_types(type1: Dtype, type2: Dtype) -> Dtype:
    """The dtype that both fit into, as in arithmetic."""
    one, two = (_C.empty((1,), kind, "cpu") for kind in (type1, type2))
    return ops.where(True, one, two).dtype
