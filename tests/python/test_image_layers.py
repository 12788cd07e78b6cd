"""Layers of lines and images: transposed convolution, pixels, padding, pooling, norms; against NumPy."""

import numpy as np
import pytest
from whole_errors import raises

import rondo
import rondo.nn.functional as F
from rondo import nn

LINES = np.random.default_rng(1).standard_normal((2, 4, 7))
IMAGES = np.random.default_rng(2).standard_normal((2, 3, 4, 5))


def conv_transpose1d(x, w, b=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """Each element of the input adds the kernel, scaled by it, to the output; then the ends are cut."""
    count, channels, length = x.shape
    out, reach = w.shape[1], dilation * (w.shape[2] - 1) + 1
    full = np.zeros((count, out * groups, (length - 1) * stride + reach + output_padding))
    for c in range(channels):
        group = slice(c // (channels // groups) * out, (c // (channels // groups) + 1) * out)
        for t in range(length):
            places = slice(t * stride, t * stride + reach, dilation)
            full[:, group, places] += x[:, c, t, None, None] * w[c]
    cut = full[:, :, padding : full.shape[2] - padding]
    return cut if b is None else cut + b[:, None]


TRANSPOSED = [
    {},
    {"stride": 2},
    {"stride": 3, "padding": 2, "output_padding": 1},
    {"stride": 2, "dilation": 3, "padding": 1, "output_padding": 2},
    {"groups": 2, "stride": 2, "padding": 1},
]


@pytest.mark.parametrize("options", TRANSPOSED, ids=str)
def test_a_transposed_convolution_spreads_each_element_over_the_kernel(options, agrees, same):
    random = np.random.default_rng(3)
    weight, bias = random.standard_normal((4, 3, 3)), random.standard_normal(3 * options.get("groups", 1))
    lines = LINES[:, :, :4]
    agrees(lambda x, w, b: F.conv_transpose1d(x, w, b, **options),
           lambda x, w, b: conv_transpose1d(x, w, b, **options), lines, weight, bias)  # fmt: skip
    same(F.conv_transpose1d(rondo.tensor(lines[0]), rondo.tensor(weight), **options),
         conv_transpose1d(lines[:1], weight, **options)[0], 1e-12)  # fmt: skip
    layer = nn.ConvTranspose1d(4, 3 * options.get("groups", 1), 3, **options).double()
    assert layer.weight.shape == (4, 3, 3) and layer.bias.shape == bias.shape
    expected = conv_transpose1d(lines, layer.weight.detach().numpy(), layer.bias.detach().numpy(), **options)
    same(layer(rondo.tensor(lines)), expected, 1e-12)
    assert layer(rondo.tensor(lines[:0])).shape == (0, *expected.shape[1:])


def test_the_size_of_the_output_may_be_chosen_among_those_of_the_stride(same):
    layer = nn.ConvTranspose1d(1, 1, 3, stride=3, bias=False)
    x = rondo.ones(2, 1, 4)
    for size in (12, 13, 14):
        expected = conv_transpose1d(x.numpy(), layer.weight.detach().numpy(), stride=3, output_padding=size - 12)
        same(layer(x, output_size=[size]), expected)
        assert layer(x, output_size=(2, 1, size)).shape == (2, 1, size)
    for size in (11, 15):
        with raises(
            rondo.ArgumentError,
            f"ConvTranspose1d: output_size is [{size}]; expected [12] or up to the stride [3] less 1 more",
        ):
            layer(x, output_size=[size])
    assert repr(layer) == "ConvTranspose1d(1, 1, kernel_size=(3,), stride=(3,), bias=False)"


def test_wrong_shapes_of_a_transposed_convolution_are_told_as_they_were_given():
    with raises(
        rondo.ArgumentError,
        "conv_transpose1d: input is [1, 4, 2], weight is [3, 4, 2]; expected [n, c, length] and [c, out / groups, "
        "k]",
    ):
        F.conv_transpose1d(rondo.ones(1, 4, 2), rondo.ones(3, 4, 2))


def shuffle(x, r):
    made = np.zeros((*x.shape[:-3], x.shape[-3] // r**2, x.shape[-2] * r, x.shape[-1] * r))
    for i in range(r):
        for j in range(r):
            made[..., i::r, j::r] = x[..., i * r + j :: r * r, :, :]
    return made


@pytest.mark.parametrize("shape, factor", [((2, 8, 2, 3), 2), ((9, 1, 2), 3), ((2, 1, 4, 2, 1), 2)])
def test_channels_become_pixels_and_pixels_channels(shape, factor, agrees, same):
    channels = np.random.default_rng(4).standard_normal(shape)
    for call in (nn.PixelShuffle(factor), lambda x: F.pixel_shuffle(x, factor)):
        agrees(call, lambda x: shuffle(x, factor), channels)
    for call in (nn.PixelUnshuffle(factor), lambda x: F.pixel_unshuffle(x, factor)):
        same(call(rondo.tensor(shuffle(channels, factor))), channels)
    whole = rondo.arange(channels.size, dtype=rondo.int64).reshape(shape)
    assert F.pixel_unshuffle(F.pixel_shuffle(whole, factor), factor).tolist() == whole.tolist()


def test_pixels_of_empty_images_and_wrong_shapes():
    assert F.pixel_shuffle(rondo.ones(0, 4, 2, 2), 2).shape == (0, 1, 4, 4)
    assert F.pixel_shuffle(rondo.ones(2, 4, 0, 2), 2).shape == (2, 1, 0, 4)
    assert F.pixel_unshuffle(rondo.ones(2, 1, 0, 4), 2).shape == (2, 4, 0, 2)
    calls = {
        "pixel_shuffle: 3 channels; their number must be a multiple of 2**2":
            lambda: F.pixel_shuffle(rondo.ones(1, 3, 2, 2), 2),
        "pixel_unshuffle: an image of 2 by 3; both must be multiples of 2":
            lambda: F.pixel_unshuffle(rondo.ones(1, 3, 2, 3), 2),
        "pixel_shuffle: input is [4, 4], the factor is 2; expected at least three axes and a positive factor":
            lambda: F.pixel_shuffle(rondo.ones(4, 4), 2),
        "pixel_unshuffle: input is [1, 4, 4], the factor is 0; expected at least three axes and a positive "
        "factor": lambda: F.pixel_unshuffle(rondo.ones(1, 4, 4), 0),
    }  # fmt: skip
    for text, call in calls.items():
        with raises(rondo.Error, text):
            call()


def edges(array, padding, mode, **options):
    pairs = [(0, 0)] * (array.ndim - len(padding) // 2)
    pairs += [(padding[i], padding[i + 1]) for i in range(len(padding) - 2, -1, -2)]
    return np.pad(array, pairs, mode, **options)


# Layer, its padding as two numbers for each axis, NumPy's mode and value, and an input.
PADS = {
    "ConstantPad1d": (nn.ConstantPad1d(2, 3.0), (2, 2), "constant", 3.0, LINES),
    "ConstantPad1d, two numbers": (nn.ConstantPad1d((1, 0), -1), (1, 0), "constant", -1, LINES[0]),
    "ConstantPad2d": (nn.ConstantPad2d(1, 5.0), (1,) * 4, "constant", 5.0, IMAGES),
    "ConstantPad2d, four numbers": (nn.ConstantPad2d((0, 1, 2, 3), 2), (0, 1, 2, 3), "constant", 2, IMAGES[0]),
    "ZeroPad2d": (nn.ZeroPad2d((3, 0, 1, 2)), (3, 0, 1, 2), "constant", 0, IMAGES),
    "ReflectionPad1d": (nn.ReflectionPad1d(3), (3, 3), "reflect", None, LINES),
    "ReflectionPad1d, two numbers": (nn.ReflectionPad1d((6, 0)), (6, 0), "reflect", None, LINES[0]),
    "ReplicationPad2d": (nn.ReplicationPad2d(2), (2,) * 4, "edge", None, IMAGES),
    "ReplicationPad2d, four numbers": (nn.ReplicationPad2d((7, 0, 1, 9)), (7, 0, 1, 9), "edge", None, IMAGES[0]),
    "CircularPad1d": (nn.CircularPad1d(7), (7, 7), "wrap", None, LINES),
    "CircularPad1d, two numbers": (nn.CircularPad1d((0, 2)), (0, 2), "wrap", None, LINES[0]),
}


@pytest.mark.parametrize("name", PADS)
def test_padding_layers_are_numpys_pad(name, agrees):
    layer, padding, mode, value, array = PADS[name]
    options = {} if value is None else {"constant_values": value}
    agrees(layer, lambda x: edges(x, padding, mode, **options), array)
    whole = rondo.tensor((array * 9).astype(np.int32))
    assert layer(whole).dtype == rondo.int32
    assert layer(whole).tolist() == edges(whole.numpy(), padding, mode, **options).tolist()
    text = f"padding={padding}, value={value}" if mode == "constant" else f"{padding}"
    assert repr(layer) in (f"{type(layer).__name__}({text})", f"ZeroPad2d({padding})")


def test_negative_padding_cuts_and_wrong_padding_is_told(same):
    x = rondo.tensor(LINES)
    same(nn.ConstantPad1d((-2, 1), 0.0)(x), np.pad(LINES[..., 2:], ((0, 0), (0, 0), (0, 1))))
    assert nn.ConstantPad1d(1, 2.0)(rondo.ones(2, 2, 0)).tolist() == [[[2.0, 2.0]] * 2] * 2
    assert nn.ReplicationPad2d(1)(rondo.ones(0, 2, 2, 3)).shape == (0, 2, 4, 5)
    half = nn.ConstantPad2d(1, 0.5)(rondo.tensor(IMAGES))
    same(half, edges(IMAGES, (1,) * 4, "constant", constant_values=0.5))
    calls = {
        "pad: 7 and 7 elements by 'reflect' at an axis of 7; at most 6 are possible": nn.ReflectionPad1d(7),
        "pad: 8 and 0 elements by 'circular' at an axis of 7; at most 7 are possible": nn.CircularPad1d((8, 0)),
        "pad: 3 numbers for shape [2, 4, 7]; two for each of the last axes are required": nn.CircularPad1d((1, 2, 3)),
    }
    for text, layer in calls.items():
        with raises(rondo.Error, text):
            layer(x)


def windows(x, size, stride, padding=0, dilation=1, fill=0.0):
    wide = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(padding, padding)], constant_values=fill)
    reach = dilation * (size - 1) + 1
    views = np.lib.stride_tricks.sliding_window_view(wide, reach, -1)
    return views[..., ::stride, ::dilation]


def test_pooling_of_lines(agrees, same):
    agrees(nn.MaxPool1d(3), lambda x: windows(x, 3, 3).max(-1), LINES)
    agrees(nn.MaxPool1d(3, 2, 1, 2), lambda x: windows(x, 3, 2, 1, 2, -np.inf).max(-1), LINES)
    agrees(lambda x: F.max_pool1d(x, 2, 1), lambda x: windows(x, 2, 1).max(-1), LINES[0])
    agrees(nn.AvgPool1d(2), lambda x: windows(x, 2, 2).mean(-1), LINES)
    agrees(lambda x: F.avg_pool1d(x, (3,), (2,), (1,)), lambda x: windows(x, 3, 2, 1).mean(-1), LINES[0])
    inside = windows(np.ones(LINES.shape), 3, 2, 1).sum(-1)
    agrees(nn.AvgPool1d(3, 2, 1, count_include_pad=False), lambda x: windows(x, 3, 2, 1).sum(-1) / inside, LINES)
    ends = [(i * 7 // 3, -(-(i + 1) * 7 // 3)) for i in range(3)]
    for call in (nn.AdaptiveAvgPool1d(3), lambda x: F.adaptive_avg_pool1d(x, (3,))):
        agrees(call, lambda x: np.stack([x[..., a:b].mean(-1) for a, b in ends], -1), LINES)
    x = rondo.tensor(LINES)
    assert nn.MaxPool1d(2, ceil_mode=True)(x).shape == (2, 4, 4) and nn.AvgPool1d(2)(x[:0]).shape == (0, 4, 3)
    with raises(rondo.ArgumentError, "max_pool1d: kernel_size is 0; it must be at least 1"):
        F.max_pool1d(x, 0)


def test_pooling_of_lines_gives_the_places_of_the_largest(same):
    values, places = nn.MaxPool1d(3, 2, return_indices=True)(rondo.tensor(LINES))
    found = windows(LINES, 3, 2)
    same(values, found.max(-1))
    same(places, found.argmax(-1) + 2 * np.arange(3))
    alone = F.max_pool1d((rondo.tensor(LINES[0])), 3, 2, return_indices=True)[1]
    same(alone, places[0].numpy())


@pytest.mark.parametrize("layer, images", [(nn.InstanceNorm1d, LINES), (nn.InstanceNorm2d, IMAGES)])
def test_instance_norm_is_of_each_channel_of_each_sample(layer, images, agrees, same):
    channels, axes = images.shape[1], tuple(range(2, images.ndim))

    def definition(x, eps=1e-5):
        return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)

    agrees(layer(channels), definition, images)
    agrees(lambda x: layer(channels, 0.1)(x[0]), lambda x: definition(x, 0.1)[0], images)
    agrees(F.instance_norm, definition, images)
    scale, shift = np.linspace(0.5, 2, channels), np.linspace(-1, 1, channels)
    shape = (1, channels) + (1,) * len(axes)
    agrees(lambda x, w, b: F.instance_norm(x, weight=w, bias=b),
           lambda x, w, b: definition(x) * w.reshape(shape) + b.reshape(shape), images, scale, shift)  # fmt: skip
    learned = layer(channels, affine=True)
    assert list(learned.state_dict()) == ["weight", "bias"] and list(layer(channels).state_dict()) == []
    same(learned.double()(rondo.tensor(images)), definition(images), 1e-12)
    assert layer(channels)(rondo.tensor(images[:0])).shape == (0, *images.shape[1:])


def test_what_instance_norm_does_not_take_is_told():
    calls = {
        "InstanceNorm1d: input is [2, 3, 4, 5]; expected 2 or 3 axes":
            lambda: nn.InstanceNorm1d(3)(rondo.tensor(IMAGES)),
        "InstanceNorm2d: input is [7]; expected 3 or 4 axes": lambda: nn.InstanceNorm2d(3)(rondo.ones(7)),
        "InstanceNorm2d: track_running_stats is True; only False is supported":
            lambda: nn.InstanceNorm2d(3, track_running_stats=True),
        "instance_norm: running_mean, running_var and use_input_stats=False are not supported; leave them out":
            lambda: F.instance_norm(rondo.tensor(LINES), rondo.zeros(4), rondo.ones(4)),
        "group_norm: weight is [2]; expected one element for each of 4 channels":
            lambda: nn.InstanceNorm1d(2, affine=True)(rondo.ones(1, 4, 5)),
    }  # fmt: skip
    for text, call in calls.items():
        with raises(rondo.Error, text):
            call()
