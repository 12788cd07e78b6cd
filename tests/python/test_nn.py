"""Modules: members, state, hooks, text; and what the layers compute."""

import copy
import io
import pickle

import numpy as np
import pytest
from whole_errors import raises

import rondo
from rondo import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.second = nn.Linear(4, 2, bias=False)
        self.scale = nn.Parameter(rondo.ones(1))
        self.register_buffer("steps", rondo.zeros(1))
        self.register_buffer("cache", rondo.zeros(1), persistent=False)

    def forward(self, x):
        return self.second(rondo.relu(self.first(x))) * self.scale


NAMES = ["scale", "first.weight", "first.bias", "second.weight"]


def test_members_are_found_by_their_names():
    net = Net()
    assert [name for name, _ in net.named_parameters()] == NAMES
    assert [name for name, _ in net.named_buffers()] == ["steps", "cache"]
    assert [name for name, _ in net.named_modules()] == ["", "first", "second"]
    assert [name for name, _ in net.named_children()] == ["first", "second"]
    assert net.get_parameter("first.bias") is net.first.bias
    assert net.get_submodule("second") is net.second
    assert net._parameters["scale"] is net.scale and list(net._modules) == ["first", "second"]
    del net.first
    assert [name for name, _ in net.named_parameters()] == ["scale", "second.weight"]
    with raises(rondo.ArgumentError, "Net: 'scale' is a parameter; assign a Parameter or None"):
        net.scale = rondo.ones(1)
    net.scale = None
    assert "scale" not in net.state_dict()


def test_members_before_init_are_an_error():
    class Early(nn.Module):
        def __init__(self):
            self.layer = nn.Linear(1, 1)
            super().__init__()

    with raises(AttributeError, "Early: 'layer' is assigned before super().__init__() ran"):
        Early()


def test_state_goes_out_and_in():
    a, b = Net(), Net()
    state = a.state_dict()
    assert list(state) == ["scale", "steps", "first.weight", "first.bias", "second.weight"]
    result = b.load_state_dict(state)
    assert result.missing_keys == [] and result.unexpected_keys == []
    x = rondo.randn(2, 3)
    assert a(x).tolist() == b(x).tolist()
    assert b.first.weight is not a.first.weight


def test_all_that_does_not_fit_stands_in_one_message():
    net = Net()
    state = net.state_dict()
    del state["scale"], state["first.bias"]
    state["more"] = rondo.ones(1)
    state["second.weight"] = rondo.ones(3, 3)
    with raises(
        RuntimeError,
        "load_state_dict: the state does not fit Net:\n"
        "  missing: scale, first.bias\n"
        "  unexpected: more\n"
        "  second.weight: [3, 3] in the state; the model has [2, 4]",
    ):
        net.load_state_dict(state)
    del state["second.weight"]
    result = net.load_state_dict(state, strict=False)
    assert result.missing_keys == ["scale", "first.bias", "second.weight"]
    assert result.unexpected_keys == ["more"]


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = nn.Linear(2, 2)
        self.b.weight = self.a.weight


def test_tied_weights_stay_tied():
    net = Tied()
    assert len(list(net.parameters())) == 3
    other = Tied()
    other.load_state_dict(net.state_dict())
    assert other.a.weight is other.b.weight
    for twin in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert twin.a.weight is twin.b.weight and twin.a.weight is not net.a.weight
        assert twin.a.weight.tolist() == net.a.weight.tolist()
        twin.a.weight.data.fill_(3)
        assert twin.b.weight.tolist() == [[3, 3], [3, 3]]


def test_copies_are_whole():
    net = Net()
    net.register_forward_hook(double)
    x = rondo.ones(1, 3)
    for twin in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert twin(x).tolist() == net(x).tolist()
        assert [name for name, _ in twin.named_parameters()] == NAMES
        assert isinstance(twin.scale, nn.Parameter)


def double(module, args, output):
    return output * 2


def test_forward_hooks_see_and_replace():
    net = nn.Linear(2, 2)
    x = rondo.ones(1, 2)
    plain = net(x)
    seen = []
    before = net.register_forward_pre_hook(lambda m, args: (args[0] * 2,))
    after = net.register_forward_hook(lambda m, args, out: seen.append(args[0].tolist()))
    last = net.register_forward_hook(lambda m, args, kwargs, out: -out, with_kwargs=True)
    assert net(x).tolist() == (-(x * 2 @ net.weight.T + net.bias)).tolist()
    assert seen == [[[2.0, 2.0]]]
    for handle in (before, after, last):
        handle.remove()
    assert net(x).tolist() == plain.tolist()


def test_backward_hooks_see_the_gradients_at_both_ends(same):
    net = nn.Linear(2, 1, bias=False)
    seen = []

    def note(module, grad_input, grad_output):
        seen.append((grad_input[0].tolist(), grad_output[0].tolist()))

    handle = net.register_full_backward_hook(note)
    x = rondo.ones(1, 2, requires_grad=True)
    (net(x) * 3).sum().backward()
    same(rondo.tensor(seen[0][0]), 3 * np.asarray(net.weight.tolist()), 1e-5)
    assert seen[0][1] == [[3.0]]
    handle.remove()


def test_to_and_casts_change_floats_alone():
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    weight = net[0].weight
    net.double()
    assert net[0].weight is weight and weight.dtype == rondo.float64
    assert net[1].num_batches_tracked.dtype == rondo.int64
    net.to(rondo.float16)
    assert net[1].running_mean.dtype == rondo.float16
    assert net.float().cpu()[0].weight.dtype == rondo.float32


def test_train_eval_apply_and_gradients():
    net = Net()
    assert net.eval() is net and not net.first.training
    assert net.train().first.training
    kinds = []
    net.apply(lambda m: kinds.append(type(m).__name__))
    assert kinds == ["Linear", "Linear", "Net"]
    net(rondo.ones(1, 3)).sum().backward()
    assert net.scale.grad is not None
    net.zero_grad()
    assert net.scale.grad is None
    net.requires_grad_(False)
    assert not any(p.requires_grad for p in net.parameters())


def test_text_is_pytorchs():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Conv2d(1, 2, 3, padding=1, bias=False))
    assert repr(net) == (
        "Sequential(\n"
        "  (0): Linear(in_features=2, out_features=3, bias=True)\n"
        "  (1): ReLU()\n"
        "  (2): Conv2d(1, 2, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1), bias=False)\n"
        ")"
    )
    assert repr(nn.ModuleList([net])).split("\n")[1] == "  (0): Sequential("
    assert repr(nn.ModuleList()) == "ModuleList()"
    assert repr(nn.Dropout(0.1)) == "Dropout(p=0.1, inplace=False)"
    assert repr(nn.LayerNorm(4)) == "LayerNorm((4,), eps=1e-05, elementwise_affine=True)"
    assert repr(nn.BatchNorm2d(3)) == (
        "BatchNorm2d(3, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)"
    )
    assert repr(nn.Parameter(rondo.ones(1))) == (
        "Parameter containing:\ntensor([1.], requires_grad=True)"
    )


def test_equal_modules_of_a_list_stand_in_one_line():
    layers = [nn.Linear(1, 1), nn.Linear(1, 1), nn.Sequential(nn.ReLU()), nn.Linear(1, 1)]
    assert repr(nn.ModuleList(layers)) == (
        "ModuleList(\n"
        "  (0-1): 2 x Linear(in_features=1, out_features=1, bias=True)\n"
        "  (2): Sequential(\n"
        "    (0): ReLU()\n"
        "  )\n"
        "  (3): Linear(in_features=1, out_features=1, bias=True)\n"
        ")"
    )


def test_containers_hold_modules_in_order_and_by_name():
    layers = [nn.Linear(2, 2) for _ in range(3)]
    net = nn.Sequential(*layers)
    assert net[-1] is layers[2] and len(net[:2]) == 2 and list(net) == layers
    listed = nn.ModuleList(layers)
    listed.append(nn.ReLU())
    listed.insert(0, nn.Tanh())
    assert [type(m).__name__ for m in listed] == ["Tanh", "Linear", "Linear", "Linear", "ReLU"]
    del listed[0]
    assert listed[0] is layers[0] and list(listed.state_dict())[0] == "0.weight"
    named = nn.ModuleDict({"a": layers[0]})
    named["b"] = layers[1]
    assert list(named) == ["a", "b"] and "a" in named and named["b"] is layers[1]
    assert dict(named.items())["a"] is layers[0]
    del named["a"]
    assert list(named.keys()) == ["b"]
    parameters = nn.ParameterList([rondo.ones(1), rondo.zeros(2)])
    assert len(parameters) == 2 and isinstance(parameters[1], nn.Parameter)
    assert [n for n, _ in nn.ParameterDict({"w": rondo.ones(1)}).named_parameters()] == ["w"]


def test_linear_and_embedding_are_their_formulas(same):
    net = nn.Linear(3, 2)
    x = np.random.rand(4, 3).astype(np.float32)
    weight, bias = np.array(net.weight.tolist()), np.array(net.bias.tolist())
    same(net(rondo.tensor(x)), x @ weight.T + bias, 1e-5)
    table = nn.Embedding(5, 3, padding_idx=0)
    assert table.weight[0].tolist() == [0, 0, 0]
    table(rondo.tensor([0, 2, 2])).sum().backward()
    same(table.weight.grad, [[0, 0, 0], [0, 0, 0], [2, 2, 2], [0, 0, 0], [0, 0, 0]])


def test_norms_are_their_formulas(same):
    x = np.random.rand(6, 4).astype(np.float32)
    mean, var = x.mean(0), x.var(0)
    norm = nn.BatchNorm1d(4)
    same(norm(rondo.tensor(x)), (x - mean) / np.sqrt(var + 1e-5), 1e-4)
    same(norm.running_mean, 0.1 * mean, 1e-5)
    same(norm.running_var, 0.9 + 0.1 * x.var(0, ddof=1), 1e-5)
    assert norm.num_batches_tracked.item() == 1
    norm.eval()
    running = np.array(norm.running_mean.tolist()), np.array(norm.running_var.tolist())
    same(norm(rondo.tensor(x)), (x - running[0]) / np.sqrt(running[1] + 1e-5), 1e-4)
    rows = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    same(nn.LayerNorm(4)(rondo.tensor(x)), rows, 1e-4)
    scale = np.sqrt((x * x).mean(1, keepdims=True) + np.finfo(np.float32).eps)
    same(nn.RMSNorm(4)(rondo.tensor(x)), x / scale, 1e-4)
    same(nn.GroupNorm(1, 4)(rondo.tensor(x)), rows, 1e-4)


def test_dropout_works_in_training_alone():
    drop = nn.Dropout(0.5)
    x = rondo.ones(1000)
    kept = drop(x)
    assert set(kept.tolist()) == {0.0, 2.0}
    assert drop.eval()(x) is x


def test_convolution_and_pooling_are_their_formulas(same):
    x = np.random.rand(2, 3, 6, 6).astype(np.float32)
    conv = nn.Conv2d(3, 4, 3, padding=1)
    weight = np.array(conv.weight.tolist(), dtype=np.float32)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    expected = np.einsum("nchwij,ocij->nohw", windows, weight)
    expected += np.array(conv.bias.tolist()).reshape(1, 4, 1, 1)
    same(conv(rondo.tensor(x)), expected, 1e-4)
    blocks = x.reshape(2, 3, 3, 2, 3, 2)
    same(nn.MaxPool2d(2)(rondo.tensor(x)), blocks.max((3, 5)))
    same(nn.AvgPool2d(2)(rondo.tensor(x)), blocks.mean((3, 5)), 1e-5)
    same(nn.AdaptiveAvgPool2d(1)(rondo.tensor(x)), x.mean((2, 3), keepdims=True), 1e-5)
    assert nn.Conv1d(3, 2, 3)(rondo.tensor(x[:, :, 0])).shape == (2, 2, 4)
    assert nn.Conv2d(3, 2, 3, padding="same")(rondo.tensor(x)).shape == (2, 2, 6, 6)
    assert nn.Flatten()(rondo.tensor(x)).shape == (2, 108)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_lstm_is_its_cell_over_time(same):
    cell = nn.LSTMCell(3, 4)
    x = np.random.rand(5, 2, 3).astype(np.float32)
    h = c = np.zeros((2, 4))
    w, u = np.array(cell.weight_ih.tolist()), np.array(cell.weight_hh.tolist())
    b = np.array(cell.bias_ih.tolist()) + np.array(cell.bias_hh.tolist())
    outputs = []
    for step in x:
        i, f, g, o = np.split(step @ w.T + h @ u.T + b, 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        outputs.append(h)
    layer = nn.LSTM(3, 4)
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    layer.load_state_dict({f"{n}_l0": getattr(cell, n) for n in names})
    out, (hn, cn) = layer(rondo.tensor(x))
    same(out, outputs, 1e-4)
    same(hn[0], h, 1e-4)
    same(cn[0], c, 1e-4)
    state = None
    for step in rondo.tensor(x):
        state = cell(step, state)
    same(state[0], h, 1e-4)


def test_first_states_of_other_shapes_are_told():
    x, state = rondo.ones(5, 2, 3), rondo.ones(1, 2, 4)
    with pytest.raises(rondo.ShapeError) as error:
        nn.LSTM(3, 4, num_layers=2)(x, (state, state))
    assert str(error.value) == (
        "LSTM: the first states are [[1, 2, 4], [1, 2, 4]]; expected [[2, 2, 4], [2, 2, 4]]: "
        "layers and directions, batch, features"
    )
    with pytest.raises(rondo.ShapeError, match="GRU: the first states are"):
        nn.GRU(3, 4)(x, rondo.ones(1, 3, 4))


@pytest.mark.parametrize("kind", [nn.RNN, nn.RNNCell])
def test_only_nonlinearities_that_are_known_are_taken(kind):
    with pytest.raises(rondo.ArgumentError) as error:
        kind(3, 4, nonlinearity="sigmoid")
    assert str(error.value) == (
        f"{kind.__name__}: nonlinearity is 'sigmoid'; expected 'tanh' or 'relu'"
    )


def test_an_item_of_a_parameter_container_is_told_with_its_name():
    with pytest.raises(rondo.ArgumentError) as error:
        nn.ParameterDict({"a": 1})
    assert str(error.value) == "ParameterDict: an item is int; expected Tensor"


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_recurrent_layers_have_pytorchs_shapes_and_names(kind):
    net = kind(3, 4, num_layers=2, batch_first=True, bidirectional=True, dropout=0.1)
    out, last = net(rondo.randn(5, 7, 3))
    hidden = last[0] if isinstance(last, tuple) else last
    assert out.shape == (5, 7, 8) and hidden.shape == (4, 5, 4)
    assert "weight_hh_l1_reverse" in net.state_dict()
    out.sum().backward()
    assert all(p.grad is not None for p in net.parameters())
    text = f"{kind.__name__}: input is [5, 7, 2]; expected 2 or 3 axes, the last of size 3"
    with raises(rondo.ShapeError, text):
        net(rondo.randn(5, 7, 2))


def test_attention_is_softmax_of_scaled_scores(same):
    net = nn.MultiheadAttention(8, 2, batch_first=True)
    x = np.random.rand(2, 5, 8).astype(np.float32)
    out, weights = net(*[rondo.tensor(x)] * 3)
    joined = x @ np.array(net.in_proj_weight.tolist()).T
    q, k, v = (p.reshape(2, 5, 2, 4).swapaxes(1, 2) for p in np.split(joined, 3, -1))
    scores = q @ k.swapaxes(-1, -2) / 2
    probabilities = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    heads = (probabilities @ v).swapaxes(1, 2).reshape(2, 5, 8)
    same(out, heads @ np.array(net.out_proj.weight.tolist()).T, 1e-4)
    same(weights, probabilities.mean(1), 1e-4)
    fast, nothing = net(*[rondo.tensor(x)] * 3, need_weights=False)
    same(fast, out.tolist(), 1e-5)
    assert nothing is None
    causal = rondo.ones(5, 5).triu(1).bool()
    a, _ = net(*[rondo.tensor(x)] * 3, attn_mask=causal)
    b, _ = net(*[rondo.tensor(x)] * 3, is_causal=True, need_weights=False)
    same(a, b.tolist(), 1e-5)
    same(a[:, 0], net(*[rondo.tensor(x[:, :1])] * 3)[0][:, 0].tolist(), 1e-5)


@pytest.mark.parametrize("norm_first", [False, True])
def test_transformer_layers_train(norm_first):
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=norm_first)
    net = nn.TransformerEncoder(layer, 2)
    out = net(rondo.randn(3, 5, 8))
    assert out.shape == (3, 5, 8)
    out.sum().backward()
    assert all(p.grad is not None for p in net.parameters())
    assert net.layers[0].linear1.weight is not net.layers[1].linear1.weight


def test_losses_are_their_formulas(same):
    x = np.random.rand(4, 3).astype(np.float32)
    target = np.array([0, 2, 1, 2])
    log = x - np.log(np.exp(x).sum(1, keepdims=True))
    picked = -log[np.arange(4), target]
    same(nn.CrossEntropyLoss()(rondo.tensor(x), rondo.tensor(target)), picked.mean(), 1e-5)
    same(nn.NLLLoss(reduction="none")(rondo.tensor(log), rondo.tensor(target)), picked, 1e-5)
    y = np.random.rand(4, 3).astype(np.float32)
    same(nn.MSELoss()(rondo.tensor(x), rondo.tensor(y)), ((x - y) ** 2).mean(), 1e-5)
    same(nn.L1Loss(reduction="sum")(rondo.tensor(x), rondo.tensor(y)), abs(x - y).sum(), 1e-5)
    bce = -(y * np.log(sigmoid(x)) + (1 - y) * np.log(1 - sigmoid(x)))
    same(nn.BCEWithLogitsLoss()(rondo.tensor(x), rondo.tensor(y)), bce.mean(), 1e-5)
    same(nn.BCELoss()(rondo.tensor(sigmoid(x)), rondo.tensor(y)), bce.mean(), 1e-5)


ACTIVATIONS = [
    nn.ReLU, nn.GELU, nn.SiLU, nn.Tanh, nn.Sigmoid, nn.LeakyReLU, nn.ELU, nn.Softplus, nn.Mish,
    nn.ReLU6, nn.Hardtanh, nn.SELU, nn.Hardswish, nn.Hardsigmoid, nn.LogSigmoid, nn.Softsign,
    nn.PReLU, nn.Identity,
]  # fmt: skip


@pytest.mark.parametrize("kind", ACTIVATIONS, ids=lambda k: k.__name__)
def test_activations_give_values_and_gradients_of_the_same_shape(kind):
    x = rondo.randn(3, 4, requires_grad=True)
    y = kind()(x)
    y.sum().backward()
    assert y.shape == x.shape and x.grad.shape == x.shape
    assert rondo.isfinite(x.grad).all()


def test_softmax_and_its_relatives_are_their_formulas(same):
    x = np.random.rand(2, 3)
    p = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    same(nn.Softmax(1)(rondo.tensor(x)), p, 1e-6)
    same(nn.LogSoftmax(dim=-1)(rondo.tensor(x)), np.log(p), 1e-6)
    with raises(rondo.ArgumentError, "softmax: dim is missing; expected int"):
        nn.Softmax()(rondo.tensor(x))


def test_gradients_are_clipped(same):
    a, b = nn.Parameter(rondo.zeros(2)), nn.Parameter(rondo.zeros(1))
    a.grad, b.grad = rondo.tensor([3.0, 0.0]), rondo.tensor([4.0])
    total = nn.utils.clip_grad_norm_([a, b], 1.0)
    assert total.item() == 5.0
    same(a.grad, [0.6, 0], 1e-5)
    same(b.grad, [0.8], 1e-5)
    nn.utils.clip_grad_value_([a, b], 0.7)
    same(b.grad, [0.7], 1e-5)
    vector = nn.utils.parameters_to_vector([a, b])
    nn.utils.vector_to_parameters(vector + 1, [a, b])
    assert a.tolist() == [1, 1] and b.tolist() == [1]


def test_initialisers_draw_within_their_bounds():
    w = rondo.empty(50, 40)
    nn.init.kaiming_uniform_(w, nonlinearity="relu")
    assert w.abs().max().item() <= (6 / 40) ** 0.5
    nn.init.xavier_normal_(w)
    assert abs(w.std().item() - (2 / 90) ** 0.5) < 0.02
    nn.init.trunc_normal_(w, std=1.0, a=-1, b=1)
    assert w.abs().max().item() <= 1
    nn.init.orthogonal_(w)
    assert rondo.allclose(w.T @ w, rondo.eye(40), atol=1e-4)
    assert nn.init.zeros_(w).sum().item() == 0
    assert nn.init.eye_(rondo.empty(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]
    with raises(rondo.ArgumentError, "init: the shape is [3]; expected at least two axes"):
        nn.init.kaiming_normal_(rondo.empty(3))


def test_states_are_pickled_to_files():
    buffer = io.BytesIO()
    pickle.dump(Net().state_dict(), buffer)
    buffer.seek(0)
    assert list(pickle.load(buffer))[0] == "scale"


@pytest.mark.parametrize("stride, padding, dilation", [(2, 0, 1), (1, 1, 1), (3, 1, 2)])
def test_windows_beside_each_other_have_the_largest_of_each_window_alone(stride, padding, dilation):
    values = np.random.default_rng(0).integers(-3, 4, (2, 3, 13, 23)).astype(np.float32)
    values[0, 0, ::4, ::5] = np.nan
    values[1, 1] = -np.inf
    window = ([3, 2], stride, padding, dilation)
    largest, places = rondo.max_pool2d_with_indices(rondo.tensor(values), *window)
    # Doubles are looked at one window after another.
    alone, places_alone = rondo.max_pool2d_with_indices(rondo.tensor(values.astype(np.float64)), *window)
    assert np.array_equal(largest.numpy(), alone.numpy(), equal_nan=True)
    assert places.tolist() == places_alone.tolist()
