"""Names that programs use in passing: queries, new tensors, settings, members, initialisers, data, cells."""

import math

import numpy as np
import pytest
from whole_errors import raises

import rondo
from rondo import nn
from rondo.utils import data

X = np.array([[1.5, -2.0, 3.25], [0.5, 4.0, -1.0]])


def told(call, text, kind=rondo.Error):
    with raises(kind, text):
        call()


def test_what_a_tensor_is():
    x = rondo.tensor(X)
    assert rondo.is_tensor(x) and not rondo.is_tensor(X)
    assert rondo.is_floating_point(x) and x.is_floating_point() and not rondo.is_floating_point(x.int())
    assert not rondo.is_complex(x) and not x.is_complex() and not rondo.float32.is_complex
    assert rondo.bfloat16.is_floating_point and not rondo.uint8.is_floating_point
    assert not x.is_meta and not x.is_quantized and not x.is_cuda
    assert x.is_contiguous() and not x.T.is_contiguous()
    assert x.ndimension() == 2 and x.nelement() == 6 and rondo.tensor(1).ndimension() == 0
    assert x[1:].storage_offset() == 3 and x.data_ptr() + 24 == x[1:].data_ptr()
    sizes = {"bool": 1, "int8": 1, "float16": 2, "bfloat16": 2, "int32": 4, "float64": 8}
    assert {name: rondo.ones(1, dtype=getattr(rondo, name)).element_size() for name in sizes} == sizes
    assert x[rondo.newaxis].shape == (1, 2, 3)


def test_new_tensors_take_the_dtype_of_the_old_one():
    half = rondo.ones(2, dtype=rondo.float16)
    assert half.new_tensor([1, 2]).dtype == rondo.float16 and half.new_tensor([[1]]).tolist() == [[1.0]]
    assert half.new_ones(2, 3).tolist() == [[1.0] * 3] * 2 and half.new_ones((0,)).dtype == rondo.float16
    assert half.new_full((2,), 1.5).tolist() == [1.5, 1.5] and half.new_full((), 2).dtype == rondo.float16
    assert half.new_empty((2, 3)).shape == (2, 3) and half.new_empty(4, dtype=rondo.int8).dtype == rondo.int8
    assert half.new_full((1,), 7, dtype=rondo.int64).tolist() == [7]
    told(lambda: half.new_ones(-1), "new_ones: negative size: [-1]; sizes must be 0 or more")


def test_random_tensors_of_the_shape_of_another():
    x = rondo.ones(2000, dtype=rondo.float64)
    uniform, normal = rondo.rand_like(x), rondo.randn_like(x, dtype=rondo.float32)
    assert uniform.dtype == rondo.float64 and 0 <= uniform.min().item() and uniform.max().item() < 1
    assert normal.dtype == rondo.float32 and abs(normal.mean().item()) < 0.1 and abs(normal.std().item() - 1) < 0.1
    assert set(rondo.randint_like(x, 3).tolist()) == {0.0, 1.0, 2.0}
    whole = rondo.randint_like(x, 5, 7, dtype=rondo.int32)
    assert whole.dtype == rondo.int32 and set(whole.tolist()) == {5, 6}
    assert rondo.rand_like(rondo.ones(0, 2)).shape == (0, 2)


def test_bernoulli_in_place_draws_with_a_probability_or_with_one_for_each_element():
    drawn = rondo.empty(4000).bernoulli_(0.25)
    assert set(drawn.tolist()) == {0.0, 1.0} and abs(drawn.mean().item() - 0.25) < 0.03
    assert rondo.empty(2, dtype=rondo.int64).bernoulli_(rondo.tensor([0.0, 1.0])).tolist() == [0, 1]
    told(lambda: rondo.empty(2).bernoulli_(1.5), "bernoulli_: p is 1.5; expected 0 to 1")


def test_settings_that_change_nothing():
    before = rondo.randn(5, 5) @ rondo.ones(5, 5)
    for precision in ("medium", "high", "highest"):
        rondo.set_float32_matmul_precision(precision)
        assert rondo.get_float32_matmul_precision() == "highest"
    told(lambda: rondo.set_float32_matmul_precision("low"),
         "set_float32_matmul_precision: precision is 'low'; expected highest, high or medium")  # fmt: skip
    rondo.use_deterministic_algorithms(False)
    rondo.use_deterministic_algorithms(True, warn_only=True)
    assert rondo.are_deterministic_algorithms_enabled()
    rondo.manual_seed(0)
    assert (rondo.randn(5, 5) @ rondo.ones(5, 5)).tolist() == before.tolist()


def test_how_tensors_are_printed_may_be_chosen():
    x = rondo.tensor([1.23456, 100.0])
    try:
        rondo.set_printoptions(precision=2)
        assert repr(x) == "tensor([  1.23, 100.00])"
        rondo.set_printoptions(threshold=5, edgeitems=1)
        assert repr(rondo.arange(9)) == "tensor([0,  ..., 8])"
        rondo.set_printoptions(sci_mode=True)
        assert repr(x) == "tensor([1.23e+00, 1.00e+02])"
        rondo.set_printoptions(profile="full")
        assert "..." not in repr(rondo.arange(2000))
    finally:
        rondo.set_printoptions(profile="default")
    assert repr(x) == "tensor([  1.2346, 100.0000])"


def test_without_a_gpu_there_is_no_cache_to_empty_no_generator_to_seed_and_nothing_to_wait_for():
    if rondo.cuda.is_available():
        pytest.skip("there is a GPU")
    for call in (rondo.cuda.empty_cache, lambda: rondo.cuda.manual_seed_all(3)):
        assert call() is None
    with pytest.raises(rondo.DeviceError, match="^device: cuda:0 is not usable: "):
        rondo.cuda.synchronize()


def test_the_state_of_a_generator_is_put_back():
    generator = rondo.Generator().manual_seed(5)
    rondo.rand(3, generator=generator)
    state = generator.get_state()
    first = rondo.rand(4, generator=generator).tolist()
    other = rondo.Generator()
    other.set_state(state)
    assert rondo.rand(4, generator=other).tolist() == first
    generator.set_state(state)
    assert rondo.rand(4, generator=generator).tolist() == first


def test_members_are_added_by_name():
    net, layer = nn.Module(), nn.Linear(2, 2)
    weight = nn.Parameter(rondo.ones(2))
    net.register_parameter("weight", weight)
    net.register_parameter("bias", None)
    net.add_module("first", layer)
    net.register_module("second", nn.BatchNorm1d(2))
    net.steps = nn.Buffer(rondo.zeros(1))
    net.cache = nn.Buffer(rondo.zeros(1), persistent=False)
    assert net.weight is weight and net.bias is None and net.first is layer
    assert [name for name, _ in net.named_children()] == ["first", "second"]
    assert net.get_buffer("steps") is net.steps and net.get_buffer("second.running_mean").tolist() == [0, 0]
    assert len(list(net.buffers())) == 5 and len(list(net.buffers(recurse=False))) == 2
    assert "steps" in net.state_dict() and "cache" not in net.state_dict()
    assert nn.Module().extra_repr() == "" and layer.extra_repr() == "in_features=2, out_features=2, bias=True"
    told(lambda: net.get_buffer("weight"), "Module has no buffer 'weight'", AttributeError)
    told(lambda: net.add_module("a.b", layer), "add_module: the name 'a.b' is empty or has a dot")
    told(lambda: net.add_module("forward", layer),
         "add_module: 'forward' is an attribute already; use another name")  # fmt: skip
    told(lambda: net.add_module("third", 3), "add_module: 'third' is int; expected Module or None")
    told(lambda: net.register_parameter("scale", rondo.ones(1)),
         "register_parameter: 'scale' is Tensor; expected Parameter or None")  # fmt: skip
    told(lambda: net.register_buffer("mean", 0.0), "register_buffer: 'mean' is float; expected Tensor or None")


def test_initialisers_fill_and_scale():
    w = rondo.empty(40, 30)
    assert nn.init.constant_(w, 2.5) is w and set(w.reshape(-1).tolist()) == {2.5}
    assert set(nn.init.ones_(w).reshape(-1).tolist()) == {1.0}
    nn.init.normal_(w, 3.0, 0.5)
    assert abs(w.mean().item() - 3) < 0.1 and abs(w.std().item() - 0.5) < 0.05
    nn.init.xavier_uniform_(w, gain=2.0)
    bound = 2 * math.sqrt(6 / 70)
    assert 0.9 * bound < w.abs().max().item() <= bound
    assert nn.init.calculate_fans(rondo.empty(5, 3, 2, 2)) == (12, 20)
    gains = {"linear": 1, "sigmoid": 1, "conv2d": 1, "tanh": 5 / 3, "relu": math.sqrt(2), "selu": 0.75}
    assert {name: nn.init.calculate_gain(name) for name in gains} == pytest.approx(gains)
    assert nn.init.calculate_gain("leaky_relu", 0.2) == pytest.approx(math.sqrt(2 / 1.04))
    told(lambda: nn.init.calculate_gain("step"), "calculate_gain: unknown nonlinearity 'step'")


def test_the_norm_of_several_tensors_is_that_of_one_vector(same):
    parts = [rondo.tensor(X), rondo.tensor([3.0], dtype=rondo.float64)]
    joined = np.append(X.reshape(-1), 3.0)
    for order in (1.0, 2.0, math.inf):
        same(nn.utils.get_total_norm(parts, order), np.linalg.norm(joined, order), 1e-12)
    assert nn.utils.get_total_norm([]).item() == 0


class Step(rondo.optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    def _step_group(self, group):
        for parameter in group["params"]:
            parameter.data.sub_(parameter.grad * group["lr"])


class Halved(rondo.optim.lr_scheduler.LRScheduler):
    def get_lr(self):
        return [rate * 0.5**self.last_epoch for rate in self.base_lrs]


def test_optimizers_and_schedules_are_made_from_their_bases(same):
    w = rondo.ones(2, requires_grad=True)
    optimizer = Step([w])
    schedule = Halved(optimizer)
    w.grad = rondo.tensor([1.0, 2.0])
    for rate in (0.1, 0.05, 0.025):
        assert schedule.get_last_lr() == [pytest.approx(rate)]
        before = w.detach().clone()
        optimizer.step()
        same(w, (before - w.grad * rate).numpy())
        schedule.step()
    told(lambda: rondo.optim.Optimizer([], {}), "optimizer: there are no parameters")
    told(lambda: rondo.optim.Optimizer(w, {}), "optimizer: params is a Tensor; expected a list of them")


class Backwards(data.Sampler):
    def __init__(self, source):
        self.source = source

    def __iter__(self):
        return iter(range(len(self.source) - 1, -1, -1))

    def __len__(self):
        return len(self.source)


class WhoAmI(data.Dataset):
    def __getitem__(self, index):
        info = data.get_worker_info()
        assert isinstance(info, data.WorkerInfo) and len(info.dataset) == 4
        return info.id, info.num_workers

    def __len__(self):
        return 4


def test_samplers_and_joined_data_sets():
    one, two = data.TensorDataset(rondo.arange(3)), data.TensorDataset(rondo.arange(10, 12))
    joined = data.ConcatDataset([one, two])
    assert [joined[i][0].item() for i in range(5)] == [0, 1, 2, 10, 11] and joined[-1][0].item() == 11
    assert len(one + two) == 5 and isinstance(one + two, data.ConcatDataset)
    loader = data.DataLoader(joined, batch_size=2, sampler=Backwards(joined))
    assert [batch[0].tolist() for batch in loader] == [[11, 10], [2, 1], [0]]
    told(lambda: joined[5], "ConcatDataset: index 5 is out of range for 5")
    told(lambda: data.ConcatDataset([]), "ConcatDataset: there are no data sets")


def test_workers_know_who_they_are():
    assert data.get_worker_info() is None
    batches = [[part.tolist() for part in batch] for batch in data.DataLoader(WhoAmI(), 2, num_workers=2)]
    assert batches == [[[0, 0], [2, 2]], [[1, 1], [2, 2]]]


def test_default_convert_makes_tensors_of_arrays_alone():
    converted = data.default_convert({"a": np.ones(2), "b": [np.float32(2), "text", 3]})
    assert converted["a"].dtype == rondo.float64 and converted["a"].tolist() == [1, 1]
    assert converted["b"][0].item() == 2 and converted["b"][1:] == ["text", 3]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def parts(cell):
    return (tensor.detach().numpy() for tensor in (cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh))


def test_cells_are_one_step_of_their_definition(agrees):
    x, h = X, np.linspace(-1, 1, 8).reshape(2, 4)
    for nonlinearity, function in (("tanh", np.tanh), ("relu", lambda z: np.maximum(z, 0))):
        cell = nn.RNNCell(3, 4, nonlinearity=nonlinearity, dtype=rondo.float64)
        w, u, b, c = parts(cell)
        same_dtype = nn.RNNCell(3, 4, True, nonlinearity)
        same_dtype.load_state_dict(cell.state_dict())
        agrees(lambda x, h: (cell if x.dtype == rondo.float64 else same_dtype)(x, h),
               lambda x, h: function(x @ w.T + b + h @ u.T + c), x, h)  # fmt: skip
    gru, single = nn.GRUCell(3, 4, dtype=rondo.float64), nn.GRUCell(3, 4)
    single.load_state_dict(gru.state_dict())
    w, u, b, c = parts(gru)

    def step(x, h):
        (r, z, n), (s, y, m) = np.split(x @ w.T + b, 3, -1), np.split(h @ u.T + c, 3, -1)
        update = sigmoid(z + y)
        return (1 - update) * np.tanh(n + sigmoid(r + s) * m) + update * h

    agrees(lambda x, h: (gru if x.dtype == rondo.float64 else single)(x, h), step, x, h)
    agrees(lambda x: (gru if x.dtype == rondo.float64 else single)(x), lambda x: step(x, np.zeros((2, 4))), x)
    agrees(lambda x: (gru if x.dtype == rondo.float64 else single)(x[0]), lambda x: step(x, np.zeros((2, 4)))[0], x)
    told(lambda: nn.RNNCell(3, 4, nonlinearity="step"),
         "RNNCell: nonlinearity is 'step'; expected 'tanh' or 'relu'")  # fmt: skip


def test_bilinear_and_unflatten(agrees, same):
    layer = nn.Bilinear(3, 2, 4)
    weight, bias = (t.double().detach().numpy() for t in (layer.weight, layer.bias))
    y = X[:, :2] + 0.5

    def definition(a, b):
        return np.einsum("...i,kij,...j->...k", a, weight, b) + bias

    agrees(lambda a, b: layer.to(a.dtype)(a, b), definition, X, y)
    same(layer(rondo.tensor(X[0]), rondo.tensor(y[0])), definition(X[0], y[0]), 1e-6)
    assert nn.Bilinear(3, 2, 4, bias=False).bias is None
    assert repr(layer) == "Bilinear(in1_features=3, in2_features=2, out_features=4, bias=True)"
    told(lambda: layer.float()(rondo.ones(5, 2), rondo.ones(5, 2)),
         "Bilinear: input1 is [5, 2], input2 is [5, 2]; expected [..., 3] and [..., 2]")  # fmt: skip
    x = rondo.tensor(X)
    assert nn.Unflatten(1, (3, 1))(x).tolist() == X[..., None].tolist()
    assert nn.Unflatten(-1, (-1, 3))(x).shape == (2, 1, 3) and nn.Unflatten(0, (2, 1))(x).shape == (2, 1, 3)
    told(lambda: nn.Unflatten(1, (2, 2))(x), "unflatten: [2, 3] to [2, 2, 2]; the number of elements must stay 6")
