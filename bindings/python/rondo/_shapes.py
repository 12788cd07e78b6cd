"""Functions that make, spread, cut and join shapes, and products of several kinds, made of ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._C import ArgumentError, ShapeError, Size, Tensor, dtype as Dtype, float32, int64, ops
from ._C import tensor as _tensor
from ._errors import named
from ._functions import flatten, mm, movedim, split
from ._types import Ints, Number, TensorLike, axis_of, beside

# Diagonals and triangles.


@named
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """A matrix with a vector on its diagonal; of a matrix a copy of the diagonal."""
    if input.ndim == 1:
        return diag_embed(input, diagonal)
    if input.ndim != 2:
        raise ShapeError(f"diag: the shape is {list(input.shape)}; expected one or two axes")
    return ops.clone(ops.diagonal(input, diagonal))


@named
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    return diag_embed(input.reshape(-1), offset)


@named
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices with the last axis on their diagonals."""
    size = input.size(-1) + abs(offset)
    row = beside(input, ops.arange, 0, size)
    on_diagonal = ops.unsqueeze(row, 1) + offset == row
    before = max(offset, 0)
    spread = ops.unsqueeze(ops.pad(input, (before, size - input.size(-1) - before)), -2)
    square = ops.where(on_diagonal, spread, 0)
    return square if (dim1, dim2) == (-2, -1) else movedim(square, (-2, -1), (dim1, dim2))


@named
def block_diag(*tensors: Tensor) -> Tensor:
    """Matrices along the diagonal of one."""
    blocks = [t.reshape(1, -1) if t.ndim < 2 else t for t in tensors]
    columns = sum(block.size(1) for block in blocks)
    rows, start = [], 0
    for block in blocks:
        rows.append(ops.pad(block, (start, columns - start - block.size(1))))
        start += block.size(1)
    return ops.cat(rows, 0)


def _triangle_places(row: int, col: int, keep: Any, dtype: Dtype) -> Tensor:
    places = [(i, j) for i in range(row) for j in range(col) if keep(j - i)]
    made = ops.full((2, len(places)), 0, int64)
    if places:
        made = _tensor([list(part) for part in zip(*places)], int64)
    return made.to(dtype)


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Dtype = int64) -> Tensor:
    """Rows and columns of the elements on and below a diagonal."""
    return _triangle_places(row, col, lambda distance: distance <= offset, dtype)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Dtype = int64) -> Tensor:
    """Rows and columns of the elements on and above a diagonal."""
    return _triangle_places(row, col, lambda distance: distance >= offset, dtype)


@named
def logspace(
    start: float, end: float, steps: int, base: float = 10.0, *, dtype: Dtype | None = None
) -> Tensor:
    """Powers of `base` with exponents at equal distances."""
    return ops.pow(base, ops.linspace(start, end, steps, dtype or float32))


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All combinations of the elements of vectors, one a row."""
    if len(tensors) == 1:
        return tensors[0]
    shape = [t.numel() for t in tensors]
    grids = [
        ops.expand(t.reshape([-1 if i == j else 1 for j in range(len(tensors))]), shape)
        for i, t in enumerate(tensors)
    ]
    return ops.stack(grids, -1).reshape(-1, len(tensors))


# Spreading.


def broadcast_shapes(*shapes: Ints) -> Any:
    """The shape that tensors of these shapes broadcast to."""
    listed = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    rank = max((len(s) for s in listed), default=0)
    result = [1] * rank
    for shape in listed:
        for i, size in enumerate(shape, rank - len(shape)):
            if size != 1 and result[i] not in (1, size):
                raise ShapeError(
                    f"broadcast_shapes: {' and '.join(str(list(s)) for s in listed)}; sizes must "
                    f"be equal or 1 at axis {i}"
                )
            result[i] = size if size != 1 else result[i]
    return Size(result)


@named
def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    return ops.expand(input, size)


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    shape = broadcast_shapes(*(t.shape for t in tensors))
    return tuple(ops.expand(t, shape) for t in tensors)


def _at_least(tensors: tuple[Any, ...], raise_one: Any) -> Any:
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return raise_one(tensors[0])
    listed = tensors[0] if len(tensors) == 1 else tensors
    return tuple(raise_one(t) for t in listed)


def atleast_1d(*tensors: Any) -> Any:
    return _at_least(tensors, lambda t: t.reshape(1) if t.ndim == 0 else t)


def atleast_2d(*tensors: Any) -> Any:
    return _at_least(tensors, lambda t: t.reshape(1, -1) if t.ndim < 2 else t)


def atleast_3d(*tensors: Any) -> Any:
    def raise_one(t: Tensor) -> Tensor:
        return ops.unsqueeze(t, -1) if t.ndim == 2 else t.reshape(1, -1, 1) if t.ndim < 2 else t

    return _at_least(tensors, raise_one)


# Cutting and joining.


@named
def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of nearly equal size, or cut at the indices."""
    size = input.size(dim)
    if isinstance(indices_or_sections, int):
        count = indices_or_sections
        if count <= 0:
            raise ArgumentError(f"tensor_split: {count} parts; the number must be positive")
        return split(input, [size // count + (i < size % count) for i in range(count)], dim)
    cuts = [0, *(int(i) for i in indices_or_sections), size]
    return tuple(ops.slice(input, dim, a, b) for a, b in zip(cuts, cuts[1:]))


def _cut(name: str, input: Tensor, parts: Any, dim: int) -> tuple[Tensor, ...]:
    if input.ndim <= dim:
        raise ShapeError(f"{name}: the shape is {list(input.shape)}; expected {dim + 1} axes or more")
    if isinstance(parts, int) and (parts <= 0 or input.size(dim) % parts):
        raise ShapeError(f"{name}: {input.size(dim)} elements do not divide into {parts} parts")
    return tensor_split(input, parts, dim)


def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    return _cut("hsplit", input, indices_or_sections, 1 if input.ndim > 1 else 0)


def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    return _cut("vsplit", input, indices_or_sections, 0)


def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    return _cut("dsplit", input, indices_or_sections, 2)


@named
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    return split(input, split_sizes, dim)


@named
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    return ops.cat([t.reshape(-1, 1) if t.ndim < 2 else t for t in tensors], 1)


@named
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    return ops.cat([atleast_3d(t) for t in tensors], 2)


@named
def fliplr(input: Tensor) -> Tensor:
    return ops.flip(input, (1,))


@named
def flipud(input: Tensor) -> Tensor:
    return ops.flip(input, (0,))


@named
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """Quarter turns from the first axis towards the second."""
    first, second = dims
    if k % 4 == 0:
        return ops.clone(input)
    if k % 4 == 2:
        return ops.flip(input, (first, second))
    turned = ops.transpose(input, first, second)
    return ops.flip(turned, (first if k % 4 == 1 else second,))


def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows of an axis, as a new last axis; a copy."""
    axis = axis_of("unfold", dimension, input.ndim)
    if not 0 < size <= input.size(axis) or step <= 0:
        raise ArgumentError(
            f"unfold: windows of {size} in steps of {step} over {input.size(axis)} elements; "
            "windows must fit, and steps be positive"
        )
    count = (input.size(axis) - size) // step + 1
    starts, places = (beside(input, ops.arange, 0, n) for n in (count, size))
    places = ops.unsqueeze(starts * step, 1) + places
    taken = ops.index_select(input, axis, places.reshape(-1))
    shape = [*input.shape[:axis], count, size, *input.shape[axis + 1 :]]
    return movedim(taken.reshape(shape), axis + 1, -1)


# Elements by their places.


@named
def take(input: Tensor, index: Tensor) -> Tensor:
    """Elements by their numbers in row-major order."""
    return input.reshape(-1)[index]


def _slices(input: Tensor, dim: int, index: Any) -> tuple[Any, ...]:
    return (slice(None),) * axis_of("index", dim, input.ndim) + (index,)


@named
def index_fill(input: Tensor, dim: int, index: Tensor, value: TensorLike) -> Tensor:
    """A copy with a number at some indices of an axis."""
    return index_fill_(ops.clone(input), dim, index, value)


def index_fill_(input: Tensor, dim: int, index: Tensor, value: TensorLike) -> Tensor:
    input[_slices(input, dim, index)] = value
    return input


@named
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """A copy with slices of `source` at some indices of an axis."""
    return index_copy_(ops.clone(input), dim, index, source)


@named
def index_copy_(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    key = _slices(input, dim, index)
    shape = list(input.shape)
    shape[len(key) - 1 : len(key)] = index.shape
    if list(source.shape) != shape:
        raise ShapeError(f"index_copy_: source is {list(source.shape)}; expected {shape}")
    input[key] = source
    return input


@named
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy with `src` at one index of an axis."""
    made = ops.clone(input)
    made[_slices(input, dim, index)] = src
    return made


def argwhere(input: Tensor) -> Tensor:
    return ops.nonzero(input)


# Products.


@named
def inner(input: Tensor, other: Tensor) -> Tensor:
    """Sums of products over the last axes."""
    if input.ndim == 0 or other.ndim == 0:
        return input * other
    return tensordot(input, other, ([-1], [-1]))


@named
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Sums of products over several axes: the last `dims` of a and first of b, or those listed."""
    if isinstance(dims, int):
        left, right = list(range(a.ndim - dims, a.ndim)), list(range(dims))
    else:
        left, right = ([axis_of("tensordot", i, t.ndim) for i in axes] for t, axes in zip((a, b), dims))
    if [a.size(i) for i in left] != [b.size(i) for i in right]:
        raise ShapeError(
            f"tensordot: axes {left} of {list(a.shape)} and {right} of {list(b.shape)}; their "
            "sizes must be equal"
        )
    rest = [i for i in range(a.ndim) if i not in left]
    others = [i for i in range(b.ndim) if i not in right]
    shape = [a.size(i) for i in rest] + [b.size(i) for i in others]
    length = 1
    for i in left:
        length *= a.size(i)
    one = ops.permute(a, rest + left).reshape(-1, length)
    two = ops.permute(b, right + others).reshape(length, -1)
    return mm(one, two).reshape(shape)


@named
def kron(input: Tensor, other: Tensor) -> Tensor:
    """All products, in blocks of the shape of `other`."""
    rank = max(input.ndim, other.ndim)
    one = (1,) * (rank - input.ndim) + tuple(input.shape)
    two = (1,) * (rank - other.ndim) + tuple(other.shape)
    left = input.reshape([s for size in one for s in (size, 1)])
    right = other.reshape([s for size in two for s in (1, size)])
    return (left * right).reshape([m * n for m, n in zip(one, two)])


@named
def cross(input: Tensor, other: Tensor, dim: int = -1) -> Tensor:
    """The vector that is orthogonal to two vectors of three elements."""
    if input.size(dim) != 3 or other.size(dim) != 3:
        raise ShapeError(
            f"cross: axis {dim} of {list(input.shape)} and {list(other.shape)}; expected 3 elements"
        )
    a, b = ops.roll(input, -1, dim), ops.roll(other, -1, dim)
    return ops.roll(input * b - a * other, -1, dim)


@named
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0) -> Tensor:
    """The distances of all rows of one from all rows of the other."""
    return ops.norm(ops.unsqueeze(x1, -2) - ops.unsqueeze(x2, -3), p, -1)


@named
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1
) -> Tensor:
    return input * beta + ops.bmm(batch1, batch2) * alpha


@named
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    return input * beta + ops.matmul(mat, vec) * alpha


@named
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1) -> Tensor:
    return input * beta + ops.outer(vec1, vec2) * alpha


@named
def matrix_power(input: Tensor, n: int) -> Tensor:
    """A product of a square matrix with itself, by squaring."""
    if n < 0 or input.ndim < 2 or input.size(-1) != input.size(-2):
        raise ArgumentError(
            f"matrix_power: n is {n}, the shape {list(input.shape)}; expected 0 or more and "
            "square matrices"
        )
    result = ops.expand(beside(input, ops.eye, input.size(-1), None, input.dtype), input.shape)
    while n:
        result = ops.matmul(result, input) if n & 1 else result
        n >>= 1
        input = ops.matmul(input, input) if n else input
    return result


@named
def cov(input: Tensor, *, correction: int = 1) -> Tensor:
    """Covariances of the rows."""
    rows = input.reshape(1, -1) if input.ndim < 2 else flatten(input, 1)
    apart = rows - ops.mean(rows, 1, True)
    found = ops.matmul(apart, ops.transpose(apart, 0, 1)) / (rows.size(1) - correction)
    return found if input.ndim > 1 else found.reshape(())


@named
def corrcoef(input: Tensor) -> Tensor:
    """Correlations of the rows."""
    found = cov(input)
    if found.ndim == 0:
        return found / found
    scale = ops.sqrt(ops.diagonal(found))
    return found / ops.unsqueeze(scale, 1) / scale


__all__ = [
    "addmv",
    "addr",
    "argwhere",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "baddbmm",
    "block_diag",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "cartesian_prod",
    "cdist",
    "column_stack",
    "corrcoef",
    "cov",
    "cross",
    "diag",
    "diag_embed",
    "diagflat",
    "dsplit",
    "dstack",
    "fliplr",
    "flipud",
    "hsplit",
    "index_copy",
    "index_copy_",
    "index_fill",
    "index_fill_",
    "inner",
    "kron",
    "logspace",
    "matrix_power",
    "rot90",
    "select_scatter",
    "take",
    "split_with_sizes",
    "tensor_split",
    "tensordot",
    "tril_indices",
    "triu_indices",
    "vsplit",
]
