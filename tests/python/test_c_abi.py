"""librondo through its C ABI, called by ctypes: the archives that Python made give Python's bits and Python's texts."""

import ctypes

import numpy as np
import pytest

import rondo

DTYPES = {"int64": 5, "float32": 8}
BATCHES = (2, 7, 64)


class CTensor(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
    ]


@pytest.fixture(scope="module")
def library(c_library):
    loaded = ctypes.CDLL(str(c_library))
    for name in ("rondo_module_load", "rondo_session_create"):
        getattr(loaded, name).restype = ctypes.c_void_p
    for name in ("rondo_error_kind", "rondo_error_text"):
        getattr(loaded, name).restype = ctypes.c_char_p
    return loaded


class CError(Exception):
    def __init__(self, code, kind, text):
        super().__init__(text)
        self.code, self.kind = code, kind


class CSession:
    """A session of the C ABI on an archive."""

    def __init__(self, library, path):
        self.library = library
        module = self.checked("rondo_module_load", str(path).encode())
        self.handle = self.checked("rondo_session_create", ctypes.c_void_p(module))
        library.rondo_module_free(ctypes.c_void_p(module))

    def close(self):
        self.library.rondo_session_free(ctypes.c_void_p(self.handle))

    def checked(self, function, *arguments):
        error = ctypes.c_void_p()
        result = getattr(self.library, function)(*arguments, ctypes.byref(error))
        if error.value is None:
            return result
        code = self.library.rondo_error_code(error)
        kind = self.library.rondo_error_kind(error).decode()
        text = self.library.rondo_error_text(error).decode()
        self.library.rondo_error_free(error)
        raise CError(code, kind, text)

    def run(self, array, method="forward"):
        shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        strides = (ctypes.c_int64 * array.ndim)(*(s // array.itemsize for s in array.strides))
        tensor = CTensor(
            ctypes.sizeof(CTensor), DTYPES[array.dtype.name], array.ndim, shape, strides, array.ctypes.data
        )
        outputs = ctypes.c_void_p()
        self.checked(
            "rondo_session_run", ctypes.c_void_p(self.handle), method.encode(), ctypes.byref(tensor),
            ctypes.c_size_t(1), ctypes.byref(outputs),
        )
        result = CTensor(ctypes.sizeof(CTensor))
        self.checked("rondo_outputs_get", outputs, ctypes.c_size_t(0), ctypes.byref(result))
        sizes = [result.shape[axis] for axis in range(result.rank)]
        count = int(np.prod(sizes)) * 4
        copy = np.frombuffer(ctypes.string_at(result.data, count), np.float32).reshape(sizes)
        self.library.rondo_outputs_free(outputs)
        return copy


@pytest.fixture
def session(library, exported_example):
    made = CSession(library, exported_example[0])
    yield made
    made.close()


def test_batches_of_2_7_and_64_give_each_row_the_bits_that_python_gives_it_alone(session, exported_example):
    _, rows, alone = exported_example
    ones = np.concatenate([session.run(row[None]) for row in rows])
    assert ones.tobytes() == alone.tobytes()
    for size in BATCHES:
        for start in range(0, len(rows) - size + 1, size):
            part = session.run(rows[start : start + size])
            assert part.tobytes() == alone[start : start + size].tobytes(), (size, start)


def test_a_buffer_that_is_filled_again_is_read_at_each_call(session, exported_example):
    _, rows, alone = exported_example
    buffer = np.empty_like(rows[:1])
    results = []
    for row in rows:
        buffer[0] = row
        results.append(session.run(buffer))
    assert np.concatenate(results).tobytes() == alone.tobytes()


def test_errors_have_the_kind_and_the_text_of_python(session, exported_example):
    path, rows, _ = exported_example
    program = rondo.load(path)
    wrong = [rows[0], rows[:, :1].copy() if rows.ndim == 2 else rows[:, :, :3].copy()]
    calls = [(array, "forward") for array in wrong] + [(rows, "encode")]
    if rows.dtype == np.float32:
        calls.append((rows.astype(np.int64), "forward"))
    for array, method in calls:
        with pytest.raises(rondo.Error) as python:
            program.run(method, rondo.tensor(array))
        with pytest.raises(CError) as c:
            session.run(array, method)
        assert (c.value.kind, str(c.value)) == (type(python.value).__name__, str(python.value))
        assert c.value.code > 0
