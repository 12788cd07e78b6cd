"""Kills, full disks, damaged files, little memory: what is on disk stays whole, what cannot be done is an error."""

import random
import time

import pytest
from conftest import run, start

import rondo
from rondo import nn

TRAIN = "print(bits(train(network(), 40)))"


def kill_at_work(code, times, delays, path="", **changes):
    """Starts a child that writes again and again, and kills it after a time between the two delays; so many times.
    Goes on behind each kill."""
    choices = random.Random(3)
    for _ in range(times):
        child = start(code, path, **changes)
        assert child.stdout.readline() == "begun\n", child.communicate()
        time.sleep(choices.uniform(*delays))
        child.kill()
        child.communicate()
        yield


def test_a_kill_while_an_archive_is_written_leaves_a_whole_one(tmp_path):
    path = tmp_path / "model.rondo"
    code = """
program = rondo.trace(network(), rondo.ones(2, 64))
program.save(sys.argv[1])
print("begun", flush=True)
while True:
    program.save(sys.argv[1])
"""
    for _ in kill_at_work(code, 12, (0.0, 0.06), path):
        assert rondo.load(path).verify() == []


def test_a_kill_while_a_checkpoint_is_written_leaves_a_whole_one(tmp_path):
    path = tmp_path / "state.safetensors"
    code = """
step = 0
while True:
    step += 1
    rondo.save({"model": {f"w{i}": rondo.full((200, 200), float(step)) for i in range(8)}, "step": step}, sys.argv[1])
    if step == 1:
        print("begun", flush=True)
"""
    for _ in kill_at_work(code, 12, (0.0, 0.06), path):
        state = rondo.load(path)
        for tensor in state["model"].values():
            assert (tensor.numpy() == state["step"]).all()


def test_a_kill_while_kernels_are_cached_leaves_a_cache_that_works(tmp_path, cache):
    code = """
from rondo import _C
_C.set_jit_mode("compiled")
print("begun", flush=True)
for n in range(1000):
    x = rondo.ones(8)
    for bit in range(10):
        x = x.exp() if n >> bit & 1 else x.tanh()
        x = x + float(n)
    x.tolist()
"""
    expected = run(TRAIN, RONDO_CACHE_DIR=tmp_path / "other")
    for _ in kill_at_work(code, 4, (0.05, 0.5), RONDO_CACHE_DIR=cache):
        pass
    assert run(TRAIN, RONDO_CACHE_DIR=cache) == expected


def test_a_full_disk_is_an_error_that_leaves_the_old_file(small_disk):
    small = {"w": rondo.ones(100)}
    for name, write in (
        ("state.safetensors", lambda path: rondo.save({"w": rondo.ones(1_000_000)}, path)),
        ("model.rondo", lambda path: rondo.save(rondo.trace(nn.Linear(1000, 1000), rondo.ones(1, 1000)), path)),
    ):
        path = small_disk / name
        rondo.save(small, path)
        before = path.read_bytes()
        with pytest.raises(rondo.IoError) as error:
            write(path)
        assert str(error.value) == f"save: writing failed: '{path}': No space left on device"
        assert path.read_bytes() == before
        assert sorted(entry.name for entry in small_disk.iterdir()) == [name]
        path.unlink()


def test_a_full_disk_of_the_kernel_cache_changes_no_bit(small_disk, tmp_path):
    (small_disk / "filler").write_bytes(bytes(1_000_000))
    full = small_disk / "cache"
    try:
        (small_disk / "more").write_bytes(bytes(100_000))
    except OSError:
        pass
    assert run(TRAIN, RONDO_CACHE_DIR=full) == run(TRAIN, RONDO_CACHE_DIR=tmp_path / "cache")


def test_a_limit_on_the_size_of_files_is_an_error_that_leaves_the_old_file(tmp_path):
    path = tmp_path / "state"
    output = run(
        """
path = sys.argv[1]
rondo.save({"w": rondo.ones(100)}, path)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    rondo.save({"w": rondo.ones(1_000_000)}, path)
except rondo.IoError as error:
    print(error)
print(rondo.load(path)["w"].sum().item(), os.listdir(os.path.dirname(path)))
""",
        path,
    )
    assert output.splitlines() == [
        f"save: writing failed: '{path}': File too large",
        "100.0 ['state']",
    ]


def test_a_missing_home_changes_no_bit(tmp_path, cache):
    expected = run(TRAIN, RONDO_CACHE_DIR=cache)
    for home in (None, "", "/nonexistent/home"):
        assert run(TRAIN, HOME=home, RONDO_CACHE_DIR=None, XDG_CACHE_HOME=None) == expected


def test_a_read_only_home_changes_no_bit(read_only_disk, cache):
    expected = run(TRAIN, RONDO_CACHE_DIR=cache)
    assert run(TRAIN, HOME=read_only_disk, RONDO_CACHE_DIR=None, XDG_CACHE_HOME=None) == expected
    assert list(read_only_disk.iterdir()) == []


def test_thirty_two_processes_share_one_kernel_cache(cache):
    children = [start(TRAIN, RONDO_CACHE_DIR=cache) for _ in range(32)]
    outputs = set()
    for child in children:
        output, errors = child.communicate(timeout=300)
        assert child.returncode == 0, errors
        outputs.add(output)
    assert len(outputs) == 1
    # A process that ends while it writes leaves a part behind, which nobody reads.
    assert all(entry.suffix in (".kernel", ".tmp") for entry in cache.iterdir())
    assert run(TRAIN, RONDO_CACHE_DIR=cache) in outputs


def flip(path, bit):
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def bits_of(path, count):
    choices = random.Random(5)
    return [choices.randrange(path.stat().st_size * 8) for _ in range(count)]


def test_a_flipped_bit_in_a_checkpoint_is_refused_or_harmless(tmp_path):
    path = tmp_path / "state"
    state = {"a": rondo.randn(20, 20), "b": rondo.arange(50)}
    rondo.save(state, path)
    refused = 0
    for bit in bits_of(path, 300):
        flip(path, bit)
        try:
            loaded = rondo.load(path)
        except (rondo.FormatError, rondo.UnsupportedError):
            refused += 1
        else:
            assert loaded.keys() == state.keys()
            assert all(loaded[name].tolist() == state[name].tolist() for name in state)
        flip(path, bit)
    assert refused > 250


def test_a_flipped_bit_in_an_archive_is_refused_or_harmless(tmp_path):
    path = tmp_path / "model.rondo"
    x = rondo.randn(3, 8)
    program = rondo.trace(nn.Sequential(nn.Linear(8, 8), nn.Tanh()), x)
    program.save(path)
    expected = program(x).tolist()
    refused = 0
    for bit in bits_of(path, 300):
        flip(path, bit)
        try:
            loaded = rondo.load(path, weights="copy")
            assert loaded(x).tolist() == expected
        except rondo.Error:
            refused += 1
        flip(path, bit)
    assert refused > 200


def test_a_flipped_bit_in_the_kernel_cache_changes_no_bit(cache):
    expected = run(TRAIN, RONDO_CACHE_DIR=cache)
    files = sorted(cache.glob("*.kernel"))
    if not files:
        pytest.skip("this build has no compiler, so nothing is cached")
    choices = random.Random(6)
    for path in files:
        flip(path, choices.randrange(path.stat().st_size * 8))
    assert run(TRAIN, RONDO_CACHE_DIR=cache) == expected


LIMITED = """
def limit(more):
    size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + more, resource.getrlimit(resource.RLIMIT_AS)[1]))
"""


def test_an_address_space_limit_during_load_is_an_error(tmp_path):
    path = tmp_path / "model.rondo"
    rondo.save(rondo.trace(nn.Linear(4000, 4000), rondo.ones(1, 4000)), path)
    output = run(
        LIMITED
        + """
rondo.ones(3).exp().tolist()
limit(20_000_000)
for weights in ("map", "copy"):
    try:
        rondo.load(sys.argv[1], weights=weights)
        print("loaded")
    except (rondo.OutOfMemoryError, rondo.IoError) as error:
        print(type(error).__name__)
limit(1_000_000_000)
print(rondo.load(sys.argv[1])(rondo.ones(1, 4000)).shape)
""",
        path,
    )
    lines = output.splitlines()
    assert lines[0] in ("IoError", "OutOfMemoryError")
    assert lines[1] == "OutOfMemoryError"
    assert lines[2] == "rondo.Size([1, 4000])"


@pytest.mark.parametrize(
    "limit",
    [
        "limit(100_000_000)",  # the system's, of the address space
        "assert rondo.set_memory_limit(rondo.memory_in_use() + 50_000_000) is None",
    ],
    ids=["address space", "tensors"],
)
def test_a_memory_limit_during_a_training_step_is_an_error_and_training_goes_on(limit):
    output = run(
        LIMITED
        + "model = network()\ntrain(model, 5)\n"
        + limit
        + """
try:
    big = rondo.ones(400_000, 64)
    F.mse_loss(model(big), big[:, :8]).backward()
    print("trained")
except rondo.OutOfMemoryError as error:
    print("OutOfMemoryError")
big = None
model.zero_grad()
print(train(model, 5).item() < 1)
"""
    )
    assert output.splitlines() == ["OutOfMemoryError", "True"]
