"""Programs on a GPU, each for a process of its own: `cuda_programs.py NAME` runs one. See test_cuda.py."""

import copy
import pickle
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import rondo
import rondo.nn.functional as F
from rondo import nn

GPU = rondo.device("cuda")
HOST = rondo.device("cpu")


def same(there, here):
    """Equal bits on the GPU and on the host."""
    assert there.device == GPU and here.device == HOST
    assert there.dtype == here.dtype and there.shape == here.shape
    copied = there.detach().cpu().numpy()
    assert copied.tobytes() == here.detach().contiguous().numpy().tobytes()


def raises(text, function):
    with pytest.raises(rondo.DeviceError) as error:
        function()
    assert str(error.value) == text


def program_tells_what_there_is():
    assert rondo.cuda.is_available() and rondo.cuda.device_count() == 1
    assert rondo.cuda.current_device() == 0
    rondo.cuda.init()
    rondo.cuda.set_device(0)
    assert rondo.cuda.get_device_name() == rondo.cuda.get_device_name("cuda:0") == "stand-in"
    assert rondo.cuda.get_device_capability(0) == (99, 0)
    raises(
        "device: there is no cuda:3: 1 devices of that kind; count from 0",
        lambda: rondo.cuda.get_device_name(3),
    )
    before = rondo.cuda.memory_allocated()
    x = rondo.zeros(1000, device="cuda")
    assert rondo.cuda.memory_allocated() == before + 4000
    assert rondo.cuda.memory_reserved() >= before + 4000
    del x
    rondo.cuda.synchronize()
    rondo.cuda.empty_cache()
    assert rondo.cuda.memory_allocated() == before
    assert rondo.cuda.max_memory_allocated() >= before + 4000


def program_moves_tensors():
    x = rondo.arange(6).reshape(2, 3).float()
    there = x.to("cuda")
    assert there.device == GPU and there.is_cuda and not there.is_cpu and there.get_device() == 0
    same(there, x)
    assert there.to("cuda") is there and there.cuda() is there and x.cpu() is x
    assert there.to("cuda", copy=True) is not there
    assert there.to("cpu").device == HOST and there.cpu().tolist() == x.tolist()
    assert x.cuda(0).device == x.to(0).device == x.to(device=GPU, non_blocking=True).device == GPU
    half = x.to("cuda", rondo.float16)
    assert half.dtype == rondo.float16 and x.to(half).dtype == rondo.float16
    same(half, x.half())
    assert x.to(there).device == GPU
    same(there.T.contiguous(), x.T)
    assert there[1, 2].item() == 5.0 and float(there[0, 1]) == 1.0 and bool(there[1].any())
    assert [row.tolist() for row in there] == x.tolist()
    raises("numpy: the tensor is on cuda:0; copy it to the host with cpu() first", there.numpy)
    raises(
        "numpy: the tensor is on cuda:0; copy it to the host with cpu() first",
        lambda: np.asarray(there),
    )
    assert there.numpy(force=True).tolist() == x.tolist()
    raises(
        "add: other is on cpu, other operands are on cuda:0; move one with to()", lambda: there + x
    )
    same(there + rondo.tensor(0.5), x + 0.5)
    assert there.data_ptr() != 0 and there.__dlpack_device__() == (2, 0)
    with pytest.raises(rondo.DeviceError):
        rondo.from_dlpack(there)


def program_prints_tensors():
    x = rondo.tensor([1.0, 2.5], device="cuda", requires_grad=True)
    assert repr(x) == "tensor([1.0000, 2.5000], device='cuda:0', requires_grad=True)"
    assert repr(x.detach().half()) == (
        "tensor([1.0000, 2.5000], device='cuda:0', dtype=rondo.float16)"
    )
    wide = rondo.arange(2000, device="cuda")
    assert repr(wide) == "tensor([   0,    1,    2,  ..., 1997, 1998, 1999], device='cuda:0')"


def program_makes_tensors():
    makers = [
        lambda **k: rondo.zeros(2, 3, **k),
        lambda **k: rondo.ones((2,), dtype=rondo.int64, **k),
        lambda **k: rondo.full((3,), 0.25, **k),
        lambda **k: rondo.arange(1, 9, 2, **k),
        lambda **k: rondo.linspace(0, 1, 5, **k),
        lambda **k: rondo.eye(3, **k),
        lambda **k: rondo.tensor([[1, 2], [3, 4]], **k),
        lambda **k: rondo.as_tensor(np.float32([1, 2]), **k),
        lambda **k: rondo.rand(4, 5, **k),
        lambda **k: rondo.randn(33, dtype=rondo.float64, **k),
        lambda **k: rondo.randint(0, 100, (17,), **k),
        lambda **k: rondo.randperm(9, **k),
        lambda **k: rondo.randn(5, generator=rondo.Generator().manual_seed(3), **k),
    ]
    for make in makers:
        rondo.manual_seed(1)
        here = make()
        rondo.manual_seed(1)
        same(make(device="cuda"), here)
    x = rondo.ones(2, device="cuda")
    for made in (
        rondo.zeros_like(x),
        rondo.empty_like(x),
        rondo.rand_like(x),
        x.new_ones(3),
        x.new_tensor([1, 2]),
        x.new_full((2,), 5),
    ):
        assert made.device == GPU
    assert rondo.zeros_like(x, device="cpu").device == x.new_zeros(2, device="cpu").device == HOST
    assert rondo.zeros(2).device == HOST
    rondo.manual_seed(4)
    here = rondo.empty(50).normal_()
    rondo.manual_seed(4)
    same(rondo.empty(50, device="cuda").normal_(), here)


def program_indexes():
    x = rondo.arange(12).reshape(3, 4).float()
    y = x.cuda()
    for key in (1, slice(0, 3, 2), (slice(None), 2), [2, 0], x[:, 0] > 1, (rondo.tensor([0, 2]), [1, 3])):
        same(y[key], x[key])
    same(y[y > 5], x[x > 5])
    same(y[rondo.tensor([0, 1], device="cuda")], x[:2])
    for t in (x, y):
        t[0] = 7
        t[1, 1:3] = rondo.tensor([1.5, 2.5])
        t[t > 10] = rondo.tensor(0.5)
        t[[0, 2], [0, 1]] = 3
    same(y, x)
    with pytest.raises(rondo.IndexError):
        y[[5]]


def model_of(device=None):
    rondo.manual_seed(0)
    layers = nn.Conv2d(1, 4, 3, device=device), nn.BatchNorm2d(4, device=device), nn.ReLU()
    head = nn.Flatten(), nn.Linear(4 * 4 * 4, 5, device=device)
    return nn.Sequential(*layers, *head)


def train(model, device, steps=3):
    """The losses, and all state behind the last step."""
    optimizer = rondo.optim.AdamW(model.parameters(), lr=0.01)
    rondo.manual_seed(5)
    x, y = rondo.randn(6, 1, 6, 6).to(device), rondo.randint(0, 5, (6,)).to(device)
    losses = []
    for _ in range(steps):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses, optimizer


def program_trains_with_the_bits_of_the_cpu():
    here = model_of()
    losses, optimizer = train(here, "cpu")
    there = model_of().to("cuda")
    assert all(p.device == GPU for p in there.parameters())
    gpu_losses, gpu_optimizer = train(there, "cuda")
    assert gpu_losses == losses
    for name, value in there.state_dict().items():
        same(value, here.state_dict()[name])
    for p, q in zip(there.parameters(), here.parameters()):
        same(p.grad, q.grad)
        for key, value in optimizer.state[q].items():
            if isinstance(value, rondo.Tensor) and value.ndim:
                same(gpu_optimizer.state[p][key], value)
    fallbacks = {op for op, _, _ in rondo.explain()["fallbacks"]}
    assert "convolution" in fallbacks and "add" not in fallbacks
    text = str(rondo.explain())
    assert "ops in kernels that ran on devices" in text
    assert "products have no kernel on the device: computed on the host" in text
    same(model_of("cuda")[4].weight, model_of()[4].weight)


def program_moves_and_saves_modules():
    model = model_of().cuda()
    model(rondo.ones(2, 1, 6, 6, device="cuda")).sum().backward()
    assert model[0].weight.grad.device == GPU
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "state.safetensors")
        rondo.save(model.state_dict(), path)
        state = rondo.load(path)
        assert all(value.device == HOST for value in state.values())
        placed = rondo.load(path, map_location="cuda")
        assert all(value.device == GPU for value in placed.values())
        other = model_of("cuda")
        other.load_state_dict(state)
    for name, value in other.state_dict().items():
        assert value.device == GPU and value.cpu().tolist() == state[name].tolist()
    twin = copy.deepcopy(model)
    again = pickle.loads(pickle.dumps(model))
    for other in (twin, again):
        assert all(p.device == GPU for p in other.parameters())
        assert rondo.equal(other[4].weight, model[4].weight)
    model.cpu()
    assert model[0].weight.device == model[0].weight.grad.device == HOST
    assert {str(t.device) for t in model.state_dict().values()
} == {"cpu"}


def program_exports_from_the_gpu():
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh()).eval().cuda()
    x = rondo.randn(2, 3, device="cuda")
    program = rondo.trace(model, x, {"input": {0: "batch"}})
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model.rondo")
        rondo.save(program, path)
        loaded = rondo.load(path)
        same(model(x).detach(), loaded(x.cpu()))


def program_functions_follow_their_tensors():
    x = rondo.tensor([3.0, 1.0, 3.0, 2.0, 8.0, 0.5])
    image = rondo.arange(32).reshape(1, 2, 4, 4).float()
    for use in (
        lambda t, i: rondo.unique(t),
        lambda t, i: rondo.diag(t),
        lambda t, i: rondo.searchsorted(rondo.sort(t).values, t),
        lambda t, i: rondo.bincount(t.long()),
        lambda t, i: t.unfold(0, 2, 1),
        lambda t, i: rondo.tril(i),
        lambda t, i: F.interpolate(i, scale_factor=2, mode="bilinear"),
        lambda t, i: F.pad(i, (1, 1), mode="reflect"),
        lambda t, i: F.one_hot(t.long(), 9),
        lambda t, i: rondo.cumsum(t, 0),
        lambda t, i: F.max_pool2d(i, 2),
        lambda t, i: t.std(),
        lambda t, i: F.dropout(t, 0.5),
        lambda t, i: nn.init.orthogonal_(i.new_empty(3, 3)),
        lambda t, i: nn.init.eye_(i.new_empty(3, 4)),
    ):
        rondo.manual_seed(2)
        here = use(x, image)
        rondo.manual_seed(2)
        same(use(x.cuda(), image.cuda()), here)
    rondo.manual_seed(0)
    lstm = nn.LSTM(3, 4)
    steps = rondo.randn(5, 2, 3)
    here, _ = lstm(steps)
    there, _ = lstm.cuda()(steps.cuda())
    same(there.detach(), here.detach())


def program_does_not_mix_what_was_captured():
    def step(t):
        for _ in range(4):
            t = rondo.tanh(t * 1.25) + 0.5
        return t

    x = rondo.linspace(-1, 1, 10)
    y = x.cuda()
    for _ in range(40):
        here, there = step(x), step(y)
        same(there, here)


PROGRAMS = [name for name in list(globals()) if name.startswith("program_")]

if __name__ == "__main__":
    globals()[sys.argv[1]]()
    print("done")
