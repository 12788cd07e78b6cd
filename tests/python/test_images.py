"""Images of other sizes, padding, and activations in place."""

import numpy as np
import pytest
from whole_errors import raises

import rondo
import rondo.nn.functional as F
from rondo import nn

IMAGE = np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4)


@pytest.mark.parametrize("mode, numpys", [("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")])
def test_padding_continues_as_numpys(mode, numpys, same):
    x = rondo.tensor(IMAGE)
    same(F.pad(x, (1, 3, 2, 0), mode=mode), np.pad(IMAGE, ((0, 0), (0, 0), (2, 0), (1, 3)), numpys))
    with raises(
        rondo.Error,
        "pad: 1 numbers for shape [1, 2, 3, 4]; two for each of the last axes are required",
    ):
        F.pad(x, (1,), mode=mode)


def test_padding_layers_are_those_functions(same):
    x = rondo.tensor(IMAGE)
    same(nn.ReflectionPad2d(1)(x), F.pad(x, (1, 1, 1, 1), mode="reflect").numpy())
    same(nn.ReplicationPad1d((1, 2))(x[0]), np.pad(IMAGE[0], ((0, 0), (0, 0), (1, 2)), "edge"))
    same(nn.CircularPad2d(2)(x), F.pad(x, (2, 2, 2, 2), mode="circular").numpy())
    with raises(
        rondo.ShapeError,
        "pad: 3 and 3 elements by 'reflect' at an axis of 3; at most 2 are possible",
    ):
        nn.ReflectionPad2d(3)(x)


def test_nearest_neighbours_repeat_and_skip(same):
    x = rondo.tensor(IMAGE)
    same(F.interpolate(x, scale_factor=2), IMAGE.repeat(2, 2).repeat(2, 3))
    same(F.interpolate(x, size=(3, 2)), IMAGE[..., ::2])
    same(F.interpolate(x[0], size=6), IMAGE[0][..., [0, 0, 1, 2, 2, 3]])
    assert F.interpolate(x, scale_factor=(1.5, 0.5)).shape == (1, 2, 4, 2)
    with raises(rondo.ArgumentError, "interpolate: give size or scale_factor, and not both"):
        F.interpolate(x, size=2, scale_factor=2)


@pytest.mark.parametrize("corners", [False, True])
def test_linear_interpolation_of_a_plane_is_the_plane(corners, same):
    """Between the outermost pixels, whose centres are the corners or half a pixel inside."""
    rows, columns = np.arange(5.0), np.arange(4.0)
    plane = rondo.tensor((2 * rows[:, None] - 3 * columns)[None, None])
    count = (9, 8)
    made = F.interpolate(plane, size=count, mode="bilinear", align_corners=corners)
    places = [
        np.linspace(0, n - 1, m) if corners else np.clip((np.arange(m) + 0.5) * n / m - 0.5, 0, n - 1)
        for n, m in zip((5, 4), count)
    ]
    same(made[0, 0], 2 * places[0][:, None] - 3 * places[1], 1e-6)
    layer = nn.Upsample(size=count, mode="bilinear", align_corners=corners)
    same(layer(plane), made.numpy())
    line = F.interpolate(plane[0], size=8, mode="linear", align_corners=corners)
    same(line[0], 2 * rows[:, None] - 3 * places[1], 1e-6)


IN_PLACE = {
    "relu": (),
    "relu6": (),
    "silu": (),
    "mish": (),
    "leaky_relu": (0.2,),
    "elu": (1.3,),
    "celu": (1.2,),
    "selu": (),
    "hardtanh": (-0.5, 0.5),
    "hardsigmoid": (),
    "hardswish": (),
    "threshold": (0.1, 0.2),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_an_activation_in_place_changes_its_input_and_has_the_same_gradient(name, same):
    function, rest = getattr(F, name), IN_PLACE[name]
    plain = rondo.linspace(-3, 3, 13, requires_grad=True)
    expected = function(plain * 2, *rest)
    expected.square().sum().backward()
    x = rondo.linspace(-3, 3, 13, requires_grad=True)
    y = x * 2
    assert function(y, *rest, inplace=True) is y and y.tolist() == expected.tolist()
    y.square().sum().backward()
    assert x.grad.tolist() == plain.grad.tolist()


def test_layers_in_place_train():
    layers = [nn.LeakyReLU(0.2, True), nn.SiLU(True), nn.ELU(inplace=True), nn.ReLU6(True),
              nn.Hardswish(True), nn.SELU(True), nn.Mish(True), nn.Hardtanh(inplace=True), nn.CELU(inplace=True)]
    for layer in layers:
        net = nn.Sequential(nn.Linear(3, 4), layer, nn.Linear(4, 1))
        net(rondo.randn(5, 3)).sum().backward()
        assert all(p.grad is not None for p in net.parameters())


def test_rounding_and_division_with_remainder_by_pythons_names(same):
    x = rondo.tensor([7.0, -7.0])
    quotient, rest = divmod(x, 2)
    assert quotient.tolist() == [3.0, -4.0] and rest.tolist() == [1.0, 1.0]
    assert [t.item() for t in divmod(9, rondo.tensor(4))] == [2, 1]
    assert round(rondo.tensor(1.6)).item() == 2.0
    same(round(rondo.tensor(1.237), 2), 1.24)


def test_numbers_of_numpy_may_stand_in_a_checkpoint(tmp_path):
    rondo.save({"loss": np.float32(0.5), "step": np.int64(3), "done": np.bool_(True)}, tmp_path / "c")
    assert rondo.load(tmp_path / "c") == {"loss": 0.5, "step": 3, "done": True}
