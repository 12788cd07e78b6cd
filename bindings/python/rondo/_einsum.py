"""einsum: products of tensors with named axes, two at a time, by matmul."""

from __future__ import annotations

from ._C import ArgumentError, ShapeError, Tensor, ops
from ._errors import named

ELLIPSIS_NAMES = "0123456789"


def _parse(equation: str, operands: tuple[Tensor, ...]) -> tuple[list[str], str]:
    """One letter for each axis of each operand and of the result; digits for the axes of `...`."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise ArgumentError(f"einsum: '{equation}' names {len(terms)} operands, not {len(operands)}")
    spread = 0
    for term, operand in zip(terms, operands):
        if "..." in term:
            spread = max(spread, operand.ndim - len(term.replace("...", "")))
    named = []
    for term, operand in zip(terms, operands):
        extra = operand.ndim - len(term.replace("...", ""))
        if extra < 0 or (extra > 0 and "..." not in term):
            raise ShapeError(
                f"einsum: '{term}' does not fit an operand of shape {list(operand.shape)}"
            )
        named.append(term.replace("...", ELLIPSIS_NAMES[spread - extra : spread]))
    lead = ELLIPSIS_NAMES[:spread]
    if arrow:
        return named, right.replace("...", lead)
    letters = sorted({c for term in named for c in term if c not in lead})
    return named, lead + "".join(c for c in letters if sum(t.count(c) for t in named) == 1)


def _check_sizes(equation: str, operands: tuple[Tensor, ...], terms: list[str]) -> None:
    """Axes of one name have one size, or 1 and broadcast."""
    sizes: dict[str, int] = {}
    for term, operand in zip(terms, operands):
        for name, size in zip(term, operand.shape):
            known = sizes.get(name, 1)
            if 1 not in (known, size) and known != size:
                shown = "..." if name in ELLIPSIS_NAMES else name
                raise ShapeError(
                    f"einsum: sizes of {shown} differ in '{equation}': {known} and {size}; they "
                    "must be equal or 1"
                )
            sizes[name] = known if size == 1 else size


def _diagonals(operand: Tensor, term: str) -> tuple[Tensor, str]:
    """Axes of the same name become one."""
    for letter in sorted(set(term)):
        while term.count(letter) > 1:
            first = term.index(letter)
            second = term.index(letter, first + 1)
            operand = ops.diagonal(operand, 0, first, second)
            term = term[:first] + term[first + 1 : second] + term[second + 1 :] + letter
    return operand, term


def _sum_out(operand: Tensor, term: str, kept: set[str]) -> tuple[Tensor, str]:
    gone = [i for i, c in enumerate(term) if c not in kept]
    if not gone:
        return operand, term
    return ops.sum(operand, gone), "".join(c for c in term if c in kept)


def _arranged(operand: Tensor, term: str, order: str) -> Tensor:
    """Axes in the order given; missing ones have size 1."""
    present = [c for c in order if c in term]
    moved = ops.permute(operand, [term.index(c) for c in present])
    shape = iter(moved.shape)
    return moved.reshape([next(shape) if c in term else 1 for c in order])


def _multiply(
    a: Tensor, term_a: str, b: Tensor, term_b: str, kept: set[str]
) -> tuple[Tensor, str]:
    """One product: axes in both and kept are batches, axes in both and not kept are summed."""
    a, term_a = _sum_out(a, term_a, kept | set(term_b))
    b, term_b = _sum_out(b, term_b, kept | set(term_a))
    both = [c for c in term_a if c in term_b]
    batch = "".join(c for c in both if c in kept)
    summed = "".join(c for c in both if c not in kept)
    only_a = "".join(c for c in term_a if c not in term_b)
    only_b = "".join(c for c in term_b if c not in term_a)
    sizes = {c: n for term, x in ((term_a, a), (term_b, b)) for c, n in zip(term, x.shape) if n != 1}

    def size(names: str) -> list[int]:
        return [sizes.get(c, 1) for c in names]

    def volume(names: str) -> int:
        product = 1
        for n in size(names):
            product *= n
        return product

    left = ops.expand(_arranged(a, term_a, batch + only_a + summed), size(batch + only_a + summed))
    right = ops.expand(_arranged(b, term_b, batch + summed + only_b), size(batch + summed + only_b))
    product = ops.matmul(
        left.reshape(volume(batch), volume(only_a), volume(summed)),
        right.reshape(volume(batch), volume(summed), volume(only_b)),
    )
    names = batch + only_a + only_b
    return product.reshape(size(names)), names


@named
def einsum(equation: str, *operands: Tensor) -> Tensor:
    """Sum of products over named axes, for example einsum("bij,bjk->bik", a, b).

    Errors: ArgumentError for another number of operands; ShapeError if an operand has other axes
    than its names, or if axes of one name have sizes that differ and are not 1.
    """
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    terms, result = _parse(equation, operands)
    _check_sizes(equation, operands, terms)
    pairs = [_diagonals(operand, term) for operand, term in zip(operands, terms)]
    value, names = pairs[0]
    for i, (other, other_names) in enumerate(pairs[1:], start=1):
        kept = set(result).union(*(term for _, term in pairs[i + 1 :]))
        value, names = _multiply(value, names, other, other_names, kept)
    value, names = _sum_out(value, names, set(result))
    missing = [c for c in result if c not in names]
    if missing:
        raise ArgumentError(f"einsum: '{equation}' has {missing[0]} on the right side alone")
    return ops.permute(value, [names.index(c) for c in result])
