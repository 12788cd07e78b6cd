"""The decoder of a transformer against its definition in NumPy, with masks of all kinds."""

import math

import numpy as np
import pytest
from whole_errors import raises

import rondo
from rondo import nn

WIDTH, HEADS, HIDDEN = 8, 2, 12
BATCH, TIME, LENGTH = 3, 5, 6
RANDOM = np.random.default_rng(7)
TARGET = RANDOM.standard_normal((BATCH, TIME, WIDTH))
MEMORY = RANDOM.standard_normal((BATCH, LENGTH, WIDTH))
LATER = np.triu(np.ones((TIME, TIME), dtype=bool), 1)
NOTHING = np.zeros((1, 1), dtype=bool)


def normed(x, layer):
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    scaled = (x - mean) / np.sqrt(var + layer.eps) * layer.weight.detach().numpy()
    return scaled if layer.bias is None else scaled + layer.bias.detach().numpy()


def linear(x, weight, bias):
    product = x @ weight.detach().numpy().T
    return product if bias is None else product + bias.detach().numpy()


def attended(layer, query, key, mask, padding):
    """`mask` [time, length] and `padding` [batch, length] are added to the scores, or forbid by True."""
    biases = [None] * 3 if layer.in_proj_bias is None else layer.in_proj_bias.chunk(3)
    q, k, v = (
        linear(x, w, b).reshape(*x.shape[:2], HEADS, -1).swapaxes(1, 2)
        for x, w, b in zip((query, key, key), layer.in_proj_weight.chunk(3), biases, strict=True)
    )
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(WIDTH // HEADS)
    for added in (np.asarray(mask), np.asarray(padding)[:, None, None, :]):
        scores = scores + (np.where(added, -np.inf, 0.0) if added.dtype == bool else added)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    heads = powers / powers.sum(-1, keepdims=True) @ v
    joined = heads.swapaxes(1, 2).reshape(query.shape)
    return linear(joined, layer.out_proj.weight, layer.out_proj.bias)


def gelu(x):
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def decoded(layer, x, memory, mask=NOTHING, memory_mask=NOTHING, padding=NOTHING, memory_padding=NOTHING,
            activation=lambda x: np.maximum(x, 0)):  # fmt: skip
    steps = [
        (layer.norm1, lambda y: attended(layer.self_attn, y, y, mask, padding)),
        (layer.norm2, lambda y: attended(layer.multihead_attn, y, memory, memory_mask, memory_padding)),
        (layer.norm3, lambda y: linear(activation(linear(y, layer.linear1.weight, layer.linear1.bias)),
                                       layer.linear2.weight, layer.linear2.bias)),
    ]  # fmt: skip
    for norm, step in steps:
        x = x + step(normed(x, norm)) if layer.norm_first else normed(x + step(x), norm)
    return x


def made(norm_first=False, batch_first=True, **options):
    """A layer with norms that are not the identity, in float64, without dropout."""
    layer = nn.TransformerDecoderLayer(
        WIDTH, HEADS, HIDDEN, 0.0, batch_first=batch_first, norm_first=norm_first, **options
    ).double()
    for parameter in layer.parameters():
        if parameter.ndim == 1:
            nn.init.normal_(parameter, 0.7, 0.3)
    return layer


FLOATS = RANDOM.standard_normal((TIME, LENGTH))
PADDED = np.arange(LENGTH) >= np.array([[6], [4], [3]])
# What is given to the layer: the mask and padding of the target, then of the memory.
MASKS = {
    "none": {},
    "causal": {"tgt_mask": LATER},
    "of floats": {"memory_mask": FLOATS, "tgt_mask": np.where(LATER, -np.inf, 0.5)},
    "of bools": {"memory_mask": FLOATS > 0.8},
    "padding": {"tgt_key_padding_mask": PADDED[:, :TIME], "memory_key_padding_mask": PADDED},
    "all": {
        "tgt_mask": LATER, "memory_mask": FLOATS, "tgt_key_padding_mask": PADDED[:, :TIME],
        "memory_key_padding_mask": PADDED,
    },
}  # fmt: skip
PLACES = {"tgt_mask": "mask", "memory_mask": "memory_mask", "tgt_key_padding_mask": "padding",
          "memory_key_padding_mask": "memory_padding"}  # fmt: skip


def given(name):
    return {key: rondo.tensor(value) for key, value in MASKS[name].items()}


def places(name):
    return {PLACES[key]: value for key, value in MASKS[name].items()}


@pytest.mark.parametrize("norm_first", [False, True], ids=["post-norm", "pre-norm"])
@pytest.mark.parametrize("name", MASKS)
def test_a_layer_is_attention_to_itself_and_to_the_memory_and_a_network(norm_first, name, same):
    layer = made(norm_first)
    expected = decoded(layer, TARGET, MEMORY, **places(name))
    same(layer(rondo.tensor(TARGET), rondo.tensor(MEMORY), **given(name)), expected, 1e-10)
    time_first = made(norm_first, batch_first=False)
    time_first.load_state_dict(layer.state_dict())
    turned = time_first(rondo.tensor(TARGET.swapaxes(0, 1)), rondo.tensor(MEMORY.swapaxes(0, 1)), **given(name))
    same(turned.transpose(0, 1), expected, 1e-10)
    single = layer.float()(rondo.tensor(TARGET).float(), rondo.tensor(MEMORY).float(), **given(name))
    same(single, expected, 1e-4)


@pytest.mark.parametrize("options", [{"activation": "gelu"}, {"bias": False}, {"layer_norm_eps": 0.3}], ids=str)
def test_the_settings_of_a_layer(options, same):
    layer = made(True, **options)
    activation = {"activation": gelu} if "activation" in options else {}
    expected = decoded(layer, TARGET, MEMORY, **activation)
    same(layer(rondo.tensor(TARGET), rondo.tensor(MEMORY)), expected, 1e-10)
    assert any(name.endswith("bias") for name in layer.state_dict()) == options.get("bias", True)


def test_a_causal_hint_is_the_causal_mask_and_one_sample_needs_no_batch(same):
    layer = made()
    x, memory = rondo.tensor(TARGET), rondo.tensor(MEMORY)
    expected = decoded(layer, TARGET, MEMORY, mask=LATER)
    same(layer(x, memory, tgt_is_causal=True), expected, 1e-10)
    same(layer(x, memory, tgt_mask=rondo.tensor(LATER), tgt_is_causal=True), expected, 1e-10)
    same(layer(x[1], memory[1], tgt_is_causal=True), expected[1], 1e-10)
    wide = np.triu(np.ones((TIME, LENGTH), dtype=bool), 1)
    same(layer(x, memory, memory_is_causal=True), decoded(layer, TARGET, MEMORY, memory_mask=wide), 1e-10)
    assert layer(x[:0], memory[:0]).shape == (0, TIME, WIDTH)


def test_a_decoder_is_copies_of_its_layer_one_after_the_other(same):
    layer = made(True)
    norm = nn.LayerNorm(WIDTH).double()
    decoder = nn.TransformerDecoder(layer, 3, norm)
    assert len(decoder.layers) == 3 and decoder.num_layers == 3 and decoder.norm is norm
    weights = [part.linear1.weight for part in decoder.layers]
    assert weights[0] is not weights[1] and weights[0].tolist() == layer.linear1.weight.tolist()
    nn.init.normal_(decoder.layers[1].linear1.weight, 0.0, 0.5)
    expected = TARGET
    for part in decoder.layers:
        expected = decoded(part, expected, MEMORY, **places("all"))
    x, memory = rondo.tensor(TARGET), rondo.tensor(MEMORY)
    same(decoder(x, memory, **given("all")), normed(expected, norm), 1e-10)
    bare = nn.TransformerDecoder(layer, 1)
    same(bare(x, memory, tgt_is_causal=True), decoded(layer, TARGET, MEMORY, mask=LATER), 1e-10)


@pytest.mark.parametrize("norm_first", [False, True], ids=["post-norm", "pre-norm"])
def test_gradients_of_a_layer_are_those_of_differences(norm_first, same):
    layer = made(norm_first, activation="gelu")
    x = rondo.tensor(TARGET, requires_grad=True)
    memory = rondo.tensor(MEMORY, requires_grad=True)
    weights = np.cos(np.arange(TARGET.size)).reshape(TARGET.shape)
    (layer(x, memory, **given("all")) * rondo.tensor(weights)).sum().backward()
    assert all(parameter.grad is not None for parameter in layer.parameters())

    def loss(target, source):
        return (decoded(layer, target, source, **places("all"), activation=gelu) * weights).sum()

    for tensor, which in ((x, 0), (memory, 1)):
        for place in [(0, 0, 0), (1, 2, 3), (2, 4, 7)]:
            ends = []
            for step in (1e-6, -1e-6):
                moved = [TARGET.copy(), MEMORY.copy()]
                moved[which][place] += step
                ends.append(loss(*moved))
            same(tensor.grad[place], (ends[0] - ends[1]) / 2e-6, 1e-6)
    hidden = memory.grad.numpy()[PADDED]
    assert hidden.size and not hidden.any()


def test_dropout_of_a_layer_works_in_training_alone():
    layer = nn.TransformerDecoderLayer(WIDTH, HEADS, HIDDEN, 0.5, batch_first=True)
    x, memory = rondo.tensor(TARGET).float(), rondo.tensor(MEMORY).float()
    assert layer(x, memory).tolist() != layer(x, memory).tolist()
    layer.eval()
    assert layer(x, memory).tolist() == layer(x, memory).tolist()


def test_the_state_of_a_layer_has_pytorchs_names():
    attention = ["in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"]
    names = [f"{part}.{name}" for part in ("self_attn", "multihead_attn") for name in attention]
    rest = ["linear1", "linear2", "norm1", "norm2", "norm3"]
    names += [f"{part}.{name}" for part in rest for name in ("weight", "bias")]
    assert sorted(made().state_dict()) == sorted(names)


def test_wrong_arguments_are_told():
    layer = made()
    x, memory = rondo.tensor(TARGET), rondo.tensor(MEMORY)
    calls = {
        "TransformerDecoderLayer: activation is 'tanh'; expected relu, gelu or a function":
            lambda: made(activation="tanh"),
        "MultiheadAttention: embed_dim 8 does not divide into 3 heads": lambda: nn.TransformerDecoderLayer(8, 3),
        "MultiheadAttention: query is [3, 5, 4]; expected 2 or 3 axes, the last of size 8":
            lambda: layer(x[..., :4], memory),
        "MultiheadAttention: a mask is int64; expected bool or floats":
            lambda: layer(x, memory, tgt_mask=rondo.tensor(LATER).long()),
    }  # fmt: skip
    for text, call in calls.items():
        with raises(rondo.Error, text):
            call()
    with raises(rondo.ShapeError, "linear: input is [3, 6, 4], weight is [8, 8]; expected [..., k] and [n, k]"):
        layer(x, memory[..., :4])
