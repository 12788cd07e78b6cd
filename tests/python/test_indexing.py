"""Get and set with every kind of key, compared with NumPy."""

import numpy as np
import pytest
from whole_errors import raises

import rondo

ARRAY = np.arange(60, dtype=np.float32).reshape(3, 4, 5)

BASIC = [
    0,
    -1,
    (1, 2),
    (1, 2, 3),
    slice(1, 3),
    slice(None),
    slice(None, None, -1),
    slice(2, None, -2),
    (slice(None), slice(1, None, 2)),
    (slice(None, None, -1), slice(3, 0, -1), slice(None, None, -2)),
    slice(5, 1),
    slice(-2, None),
    None,
    Ellipsis,
    (Ellipsis, 0),
    (0, Ellipsis),
    (Ellipsis, None),
    (None, 1, None, slice(2)),
    (slice(None), None, 2, Ellipsis, None),
    (),
]
ADVANCED = [
    [0, 2],
    np.array([2, 0, 1]),
    np.array([[0, 1], [2, 2]]),
    (slice(None), [3, 1]),
    (Ellipsis, [0, 4]),
    ([0, 1], [1, 2]),
    (np.array([[0], [1]]), np.array([2, 3])),
    ([0, 1], slice(None), [1, 2]),
    (slice(1, None), [0, 1], slice(None, None, -1)),
    (slice(None), [0, 3], None),
    ARRAY > 30,
    (ARRAY[:, :, 0] > 20),
    (slice(None), np.array([True, False, True, True])),
    np.array([-1, -2]),
    [],
    True,
    False,
]


def keys(key):
    """The key for NumPy, and the same for Rondo with tensors in the place of arrays."""
    parts = key if isinstance(key, tuple) else (key,)
    ours = tuple(rondo.tensor(p) if isinstance(p, np.ndarray) else p for p in parts)
    return key, ours if isinstance(key, tuple) else ours[0]


@pytest.mark.parametrize("key", BASIC + ADVANCED, ids=str)
def test_reading_is_numpys(key, same):
    theirs, ours = keys(key)
    same(rondo.tensor(ARRAY)[ours], ARRAY[theirs])


@pytest.mark.parametrize("key", BASIC + ADVANCED, ids=str)
def test_writing_is_numpys(key, same):
    theirs, ours = keys(key)
    array, x = ARRAY.copy(), rondo.tensor(ARRAY)
    array[theirs] = -1
    x[ours] = -1
    same(x, array)
    values = np.asarray(np.random.rand(*array[theirs].shape), dtype=np.float32)
    array[theirs] = values
    x[ours] = rondo.tensor(values)
    same(x, array)


@pytest.mark.parametrize("key", BASIC, ids=str)
def test_basic_keys_give_views(key):
    x = rondo.tensor(ARRAY)
    view = x[key]
    assert view is not x
    view.fill_(7)
    theirs = ARRAY.copy()
    theirs[key] = 7
    assert x.tolist() == theirs.tolist()


@pytest.mark.parametrize("key", BASIC + ADVANCED, ids=str)
def test_gradients_flow_to_what_was_read(key, same):
    theirs, ours = keys(key)
    x = rondo.tensor(ARRAY, requires_grad=True)
    read = x[ours]
    weights = np.asarray(np.random.rand(*read.shape), dtype=np.float32)
    (read * rondo.tensor(weights)).sum().backward()
    expected = np.zeros_like(ARRAY)
    np.add.at(expected, theirs, weights)
    same(x.grad, expected, 1e-5)


def test_gradients_flow_through_what_was_written(same):
    x = rondo.ones(3, 3, requires_grad=True)
    v = rondo.tensor([5.0, 6.0, 7.0], requires_grad=True)
    y = x * 2
    y[1] = v
    y[:, [0]] = 0.0
    (y * y).sum().backward()
    same(x.grad, [[0, 8, 8], [0, 0, 0], [0, 8, 8]])
    same(v.grad, [0, 12, 14])


def test_a_number_beside_a_list_is_taken_first_as_in_pytorch(same):
    same(rondo.tensor(ARRAY)[0, :, [1, 2]], ARRAY[0][:, [1, 2]])


def test_values_broadcast_and_convert(same):
    x = rondo.zeros(2, 3)
    x[:, 1:] = [1, 2]
    x[0] = np.array([[7.0, 8.0, 9.0]])
    same(x, [[7, 8, 9], [0, 1, 2]])
    y = rondo.tensor([1, 2, 3])
    y[1] = 9.7
    assert y.tolist() == [1, 9, 3]


def test_elements_of_tensors_are_indices_too():
    x = rondo.tensor([10, 20, 30])
    assert x[rondo.tensor(1)].item() == 20
    assert x[np.int64(2)].item() == 30
    assert x[range(2)].tolist() == [10, 20]


WRONG = [
    (lambda x: x[3], "index: index 3 is out of range for axis 0 of shape [3, 4, 5]; expected -3 to 2"),
    (lambda x: x[0, 0, 0, 0], "index: 4 indices for a tensor of shape [3, 4, 5]"),
    (lambda x: x[..., ...], "index: ... stands twice; it may stand once"),
    (lambda x: x[1.5], "index: an index is float; expected integers, bool, slices, None or ..."),
    (lambda x: x[rondo.ones(2)], "index: an index is float32; expected integers, bool, slices, None or ..."),
]


@pytest.mark.parametrize("read, text", WRONG, ids=[text for _, text in WRONG])
def test_wrong_keys_are_index_errors(read, text):
    with raises(IndexError, text):
        read(rondo.tensor(ARRAY))


def test_an_index_out_of_range_in_a_tensor_is_an_index_error():
    with raises(IndexError, "index: index 3 is out of range for axis 0 of size 3; expected -3 to 2"):
        rondo.tensor(ARRAY)[rondo.tensor([0, 3])]


def test_a_leaf_that_requires_gradients_is_not_written():
    x = rondo.ones(3, requires_grad=True)
    with raises(
        rondo.ArgumentError,
        "index: a leaf that requires gradients is written in place; use no_grad or a copy made "
        "with clone()",
    ):
        x[0] = 1
    with rondo.no_grad():
        x[0] = 5
    assert x.tolist() == [5.0, 1.0, 1.0]
