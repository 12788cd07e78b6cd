"""Code of Python's that runs in the middle of ours: finalizers, conversions, lists that change."""

import gc

import numpy as np
import pytest

import rondo


def test_a_finalizer_that_asks_for_the_tensor_gets_an_object_that_lives():
    found = []

    class Spy:
        def __init__(self, node):
            self.node = node

        def __del__(self):
            found.append(self.node.next_functions[0][0].variable)

    x = rondo.ones(3, requires_grad=True)
    y = x * 2
    x.spy = Spy(y.grad_fn)
    del x
    gc.collect()
    (x,) = found
    assert x.tolist() == [1.0, 1.0, 1.0] and not hasattr(x, "spy")
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("share", [lambda x: x.numpy(), np.from_dlpack], ids=["numpy", "dlpack"])
def test_shared_memory_lives_on_when_the_tensor_gets_other_data(share):
    x = rondo.full((4,), 1.0)
    array = share(x)
    x.data = rondo.zeros(3)
    gc.collect()
    others = [rondo.full((4,), 7.0) for _ in range(50)]
    assert array.tolist() == [1.0, 1.0, 1.0, 1.0] and len(others) == 50
    assert x.tolist() == [0.0, 0.0, 0.0]


class Clears:
    """Empties the list that it stands in while it is converted."""

    def __init__(self, items):
        self.items = items

    def __float__(self):
        self.items.clear()
        return 1.0

    def __index__(self):
        self.items.clear()
        return 1


class Grows:
    def __init__(self, items):
        self.items = items

    @property
    def __array_struct__(self):
        self.items.extend([rondo.ones(1)] * 1000)
        raise AttributeError("none")


def test_a_list_may_not_change_while_it_is_read():
    numbers = [1.0, 2.0, 3.0]
    numbers[1] = Clears(numbers)
    with pytest.raises(rondo.ArgumentError) as error:
        rondo.tensor(numbers)
    assert str(error.value) == (
        "tensor: a list of 0 had 3 elements when it was read; it must not change meanwhile"
    )
    axes = [0, 1]
    axes[0] = Clears(axes)
    with pytest.raises(rondo.ArgumentError, match="permute: 1 axes for shape"):
        rondo.zeros(2, 3).permute(axes)


def test_a_list_of_tensors_is_taken_as_it_was_at_the_call():
    tensors = []
    tensors += [rondo.ones(1), Grows(tensors)]
    with pytest.raises(rondo.ArgumentError) as error:
        rondo.cat(tensors)
    assert str(error.value) == "cat: tensors[1] is Grows; expected Tensor"
    assert len(tensors) == 1002


class Interrupted:
    def __float__(self):
        raise KeyboardInterrupt

    @property
    def __array_struct__(self):
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    "call", [lambda: rondo.tensor([Interrupted()]), lambda: rondo.ones(2) + Interrupted()]
)
def test_ctrl_c_inside_of_a_conversion_reaches_the_caller(call):
    with pytest.raises(KeyboardInterrupt):
        call()
