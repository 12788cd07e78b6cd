"""Memory shared with NumPy and other libraries, without a copy, in both directions."""

import sys

import numpy as np
import pytest
from whole_errors import raises

import rondo

DTYPES = [
    (rondo.bool, np.bool_),
    (rondo.uint8, np.uint8),
    (rondo.int8, np.int8),
    (rondo.int16, np.int16),
    (rondo.int32, np.int32),
    (rondo.int64, np.int64),
    (rondo.float16, np.float16),
    (rondo.float32, np.float32),
    (rondo.float64, np.float64),
]


@pytest.mark.parametrize("ours, theirs", DTYPES, ids=str)
def test_every_dtype_goes_both_ways_over_the_same_memory(ours, theirs):
    array = np.array([[1, 0, 1], [0, 1, 1]], dtype=theirs)
    x = rondo.from_numpy(array)
    assert x.dtype == ours and x.tolist() == array.tolist()
    array[0, 0] = 0
    assert x[0, 0].item() == 0
    back = x.numpy()
    assert back.dtype == theirs and np.shares_memory(back, array)
    back[1, 0] = 1
    assert x[1, 0].item() == 1
    assert np.from_dlpack(x).tolist() == x.tolist()
    assert rondo.from_dlpack(array).tolist() == x.tolist()


def test_strides_of_any_sign_are_kept():
    array = np.arange(24.0).reshape(4, 6)
    for view in (array.T, array[::-1, ::2], array[:, ::-1], array[1:1], array[2], array[2, 3:4]):
        x = rondo.from_numpy(view)
        assert x.tolist() == view.tolist()
        assert x.numpy().tolist() == view.tolist() and x.numpy().strides == view.strides
        assert (x * 2).tolist() == (view * 2).tolist()
        assert np.from_dlpack(x).tolist() == view.tolist()


def test_each_side_keeps_the_memory_alive():
    x = rondo.from_numpy(np.arange(5.0))
    assert x.tolist() == [0, 1, 2, 3, 4]
    array = rondo.arange(5.0).numpy()
    assert array.tolist() == [0, 1, 2, 3, 4]
    array = np.from_dlpack(rondo.arange(3.0))
    assert array.tolist() == [0, 1, 2]
    x = rondo.from_dlpack(np.arange(3.0))
    assert x.tolist() == [0, 1, 2]


def test_what_is_written_in_place_is_seen_on_the_other_side():
    x = rondo.zeros(3)
    array = x.numpy()
    x += 1
    assert array.tolist() == [1, 1, 1]
    array[:] = 5
    assert (x * 2).tolist() == [10, 10, 10]


def test_a_buffer_may_be_filled_again_between_calls():
    buffer = np.zeros(4, dtype=np.float32)
    x = rondo.from_numpy(buffer)
    results = []
    for i in range(20):
        buffer[:] = i
        results.append(x * 2 + 1)
        buffer[:] = -1
    assert [r.tolist() for r in results] == [[2.0 * i + 1] * 4 for i in range(20)]


def test_read_only_memory_stays_read_only():
    array = np.arange(3.0)
    array.flags.writeable = False
    x = rondo.from_numpy(array)
    assert not x.numpy().flags.writeable
    with raises(rondo.ArgumentError, "add_: the tensor is read-only; write into a copy made with clone()"):
        x += 1


def test_tensor_copies_and_as_tensor_shares():
    array = np.zeros(2)
    copied, shared = rondo.tensor(array), rondo.as_tensor(array)
    array[0] = 1
    assert copied.tolist() == [0, 0] and shared.tolist() == [1, 0]
    assert copied.dtype == rondo.float64
    assert rondo.as_tensor(copied) is copied
    assert rondo.as_tensor([1, 2]).dtype == rondo.int64


def test_numpy_functions_take_tensors():
    x = rondo.tensor([1.0, 4.0])
    assert np.sqrt(x).tolist() == [1.0, 2.0]
    assert np.asarray(x, dtype=np.float64).dtype == np.float64
    assert np.array(x).tolist() == [1.0, 4.0]
    grown = rondo.ones(1, requires_grad=True)
    with raises(rondo.ArgumentError, "numpy: the tensor requires gradients; call detach() first"):
        grown.numpy()
    assert grown.numpy(force=True).tolist() == [1.0]


def test_memory_that_no_dtype_stands_for_is_refused():
    with raises(
        rondo.DtypeError,
        "from_numpy: the array's dtype is complex64; no dtype of Rondo stands for it",
    ):
        rondo.from_numpy(np.zeros(2, dtype=np.complex64))
    with raises(rondo.ArgumentError, "from_numpy: the array is in the other byte order; convert it first"):
        rondo.from_numpy(np.zeros(2, dtype=">f4"))
    with raises(rondo.ArgumentError, "from_numpy: the argument is list; expected an array"):
        rondo.from_numpy([1, 2])


def test_bfloat16_goes_through_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    x = rondo.tensor([1.5, -2.0], dtype=rondo.bfloat16)
    assert x.numpy().dtype == ml_dtypes.bfloat16
    assert rondo.from_numpy(np.array([1.5], dtype=ml_dtypes.bfloat16)).dtype == rondo.bfloat16


def test_dlpack_capsules_of_both_versions():
    x = rondo.arange(3.0)
    old, new = x.__dlpack__(), x.__dlpack__(max_version=(1, 0))
    assert '"dltensor"' in repr(old) and '"dltensor_versioned"' in repr(new)
    assert rondo.from_dlpack(old).tolist() == rondo.from_dlpack(new).tolist() == [0, 1, 2]
    assert x.__dlpack_device__() == (1, 0)
    for unused in range(100):
        x.__dlpack__()
    with raises(rondo.ArgumentError, "from_dlpack: the capsule has been taken before, or is none of DLPack"):
        rondo.from_dlpack(old)
    with raises(rondo.ArgumentError, "__dlpack__: the tensor requires gradients; call detach() first"):
        rondo.ones(1, requires_grad=True).__dlpack__()
    with pytest.raises(rondo.ArgumentError) as error:
        x.__dlpack__(max_version=("a", 0))
    assert str(error.value) == "__dlpack__: max_version[0] is str; expected int"


def test_dlpack_gives_memory_of_the_cpu_alone():
    x = rondo.arange(3.0)
    assert rondo.from_dlpack(x.__dlpack__(dl_device=(1, 0))).tolist() == [0, 1, 2]
    with pytest.raises(BufferError) as error:
        x.__dlpack__(dl_device=(2, 0))
    assert str(error.value) == "__dlpack__: dl_device is of type 2; the memory is on the CPU (1)"


def test_dlpack_with_pytorch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    x = rondo.arange(4.0)
    t = torch.from_dlpack(x)
    t[0] = 7
    assert x[0].item() == 7
    assert rondo.from_dlpack(torch.arange(3)).tolist() == [0, 1, 2]
    assert rondo.from_dlpack(torch.ones(2, dtype=torch.bfloat16)).dtype == rondo.bfloat16


def test_references_are_given_back():
    array = np.zeros(1000)
    before = sys.getrefcount(array)
    for _ in range(10):
        x = rondo.from_numpy(array)
        y = np.asarray(x + array) + x.numpy()
        del x, y
    assert sys.getrefcount(array) == before
