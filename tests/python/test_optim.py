"""Optimizers and schedules, compared with their formulas in NumPy."""

import pickle

import numpy as np
import pytest
from whole_errors import raises

import rondo
from rondo import nn, optim
from rondo.optim import lr_scheduler


def adam_reference(w, grads, lr, b1, b2, eps, decay, decoupled):
    m = v = np.zeros_like(w)
    for step, g in enumerate(grads, 1):
        if decay and decoupled:
            w = w * (1 - lr * decay)
        elif decay:
            g = g + decay * w
        m = b1 * m + (1 - b1) * g
        v = b2 * v + (1 - b2) * g * g
        w = w - lr * (m / (1 - b1**step)) / (np.sqrt(v / (1 - b2**step)) + eps)
    return w


def run(optimizer, parameter, grads):
    for gradient in grads:
        parameter.grad = rondo.tensor(gradient)
        optimizer.step()


@pytest.mark.parametrize("kind, decoupled", [(optim.Adam, False), (optim.AdamW, True)])
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_adam_follows_its_formula(kind, decoupled, decay, same):
    start = np.random.rand(5)
    grads = [np.random.randn(5) for _ in range(6)]
    w = nn.Parameter(rondo.tensor(start))
    optimizer = kind([w], lr=0.05, betas=(0.8, 0.99), weight_decay=decay)
    run(optimizer, w, grads)
    same(w, adam_reference(start, grads, 0.05, 0.8, 0.99, 1e-8, decay, decoupled), 1e-10)


@pytest.mark.parametrize("momentum, dampening, nesterov", [(0, 0, False), (0.9, 0.1, False), (0.9, 0, True)])
def test_sgd_follows_its_formula(momentum, dampening, nesterov, same):
    w = start = np.random.rand(5)
    grads = [np.random.randn(5) for _ in range(5)]
    parameter = nn.Parameter(rondo.tensor(start))
    optimizer = optim.SGD(
        [parameter], 0.1, momentum, dampening, weight_decay=0.01, nesterov=nesterov
    )
    run(optimizer, parameter, grads)
    buffer = None
    for g in grads:
        g = g + 0.01 * w
        if momentum:
            buffer = g if buffer is None else momentum * buffer + (1 - dampening) * g
            g = g + momentum * buffer if nesterov else buffer
        w = w - 0.1 * g
    same(parameter, w, 1e-10)


def test_amsgrad_keeps_the_largest_moment():
    w = nn.Parameter(rondo.tensor([1.0]))
    optimizer = optim.Adam([w], amsgrad=True)
    run(optimizer, w, [[10.0], [0.1], [0.1]])
    state = optimizer.state[w]
    assert state["max_exp_avg_sq"].item() >= state["exp_avg_sq"].item()


def test_training_lowers_the_loss():
    net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = optim.Adam(net.parameters(), lr=0.02)
    x = rondo.randn(64, 2)
    y = (x[:, :1] * x[:, 1:]).detach()
    losses = []
    for _ in range(150):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.2 * losses[0]


def test_groups_have_settings_of_their_own(same):
    a, b = nn.Parameter(rondo.zeros(1)), nn.Parameter(rondo.zeros(1))
    optimizer = optim.SGD([{"params": [a]}, {"params": b, "lr": 1.0}], lr=0.1)
    a.grad, b.grad = rondo.ones(1), rondo.ones(1)
    optimizer.step()
    same(a, [-0.1])
    same(b, [-1.0])
    optimizer.zero_grad()
    assert a.grad is None
    with raises(rondo.ArgumentError, "optimizer: a parameter stands in two groups"):
        optimizer.add_param_group({"params": [a]})


def test_states_go_on_where_they_stopped(same):
    grads = [np.random.randn(3) for _ in range(6)]
    whole = nn.Parameter(rondo.ones(3, dtype=rondo.float64))
    run(optim.Adam([whole]), whole, grads)
    first = nn.Parameter(rondo.ones(3, dtype=rondo.float64))
    before = optim.Adam([first])
    run(before, first, grads[:3])
    second = nn.Parameter(first.detach().clone())
    after = optim.Adam([second])
    after.load_state_dict(pickle.loads(pickle.dumps(before.state_dict())))
    run(after, second, grads[3:])
    assert second.tolist() == whole.tolist()
    with raises(
        rondo.ArgumentError,
        "load_state_dict: groups of [1] parameters; the optimizer has groups of [2]",
    ):
        optim.Adam([first, second]).load_state_dict(before.state_dict())


def test_closures_compute_the_loss():
    w = nn.Parameter(rondo.ones(1))
    optimizer = optim.SGD([w], 0.5)

    def closure():
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    with rondo.no_grad():
        assert optimizer.step(closure).item() == 1.0
    assert w.tolist() == [0.0]


def test_wrong_settings_are_errors():
    w = nn.Parameter(rondo.ones(1))
    with raises(rondo.ArgumentError, "Adam: lr is -1; it must not be negative"):
        optim.Adam([w], lr=-1)
    with raises(rondo.ArgumentError, "optimizer: there are no parameters"):
        optim.SGD([])
    with raises(rondo.ArgumentError, "optimizer: a parameter is a result; expected a leaf"):
        optim.SGD([w * 2])


SCHEDULES = [
    (lambda o: lr_scheduler.StepLR(o, 2, 0.5), [1, 1, 0.5, 0.5, 0.25]),
    (lambda o: lr_scheduler.MultiStepLR(o, [1, 3], 0.1), [1, 0.1, 0.1, 0.01, 0.01]),
    (lambda o: lr_scheduler.ExponentialLR(o, 0.5), [1, 0.5, 0.25, 0.125, 0.0625]),
    (lambda o: lr_scheduler.LambdaLR(o, lambda e: 1 / (e + 1)), [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5]),
    (lambda o: lr_scheduler.LinearLR(o, 0.5, 1.0, 2), [0.5, 0.75, 1, 1, 1]),
    (lambda o: lr_scheduler.CosineAnnealingLR(o, 4), [1, 0.8535534, 0.5, 0.1464466, 0]),
    (lambda o: lr_scheduler.ConstantLR(o, 0.5, 2), [0.5, 0.5, 1, 1, 1]),
    (lambda o: lr_scheduler.PolynomialLR(o, 4, 2), [1, 9 / 16, 4 / 16, 1 / 16, 0]),
    (lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 2), [1, 0.5, 1, 0.5, 1]),
    (
        lambda o: lr_scheduler.OneCycleLR(o, 1.0, total_steps=5, pct_start=0.4),
        [0.04, 1, 0.750001, 0.250003, 4e-6],
    ),
    (
        lambda o: lr_scheduler.OneCycleLR(
            o, 1.0, epochs=1, steps_per_epoch=6, pct_start=0.5, anneal_strategy="linear",
            three_phase=True, div_factor=4, final_div_factor=10,
        ),
        [0.25, 0.625, 1, 0.625, 0.25, 0.025],
    ),
    (
        lambda o: lr_scheduler.SequentialLR(
            o, [lr_scheduler.LinearLR(o, 0.5, 1.0, 2), lr_scheduler.ExponentialLR(o, 0.5)], [2]
        ),
        [0.5, 0.75, 1, 0.5, 0.25],
    ),
]


@pytest.mark.parametrize("make, expected", SCHEDULES)
def test_schedules_give_pytorchs_rates(make, expected):
    optimizer = optim.SGD([nn.Parameter(rondo.ones(1))], lr=1.0)
    schedule = make(optimizer)
    rates = []
    for _ in expected:
        rates.append(optimizer.param_groups[0]["lr"])
        schedule.step()
    assert rates == pytest.approx(expected, abs=1e-6)
    other = make(optim.SGD([nn.Parameter(rondo.ones(1))], lr=1.0))
    other.load_state_dict(schedule.state_dict())
    assert other.get_last_lr() == schedule.get_last_lr()


def test_the_rate_falls_on_a_plateau():
    optimizer = optim.SGD([nn.Parameter(rondo.ones(1))], lr=1.0)
    with pytest.raises(rondo.ArgumentError) as error:
        lr_scheduler.ReduceLROnPlateau(optimizer, mode="least")
    assert str(error.value) == "ReduceLROnPlateau: mode is 'least'; expected 'min' or 'max'"
    schedule = lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
    for loss in (1.0, 0.5, 0.5, 0.5):
        schedule.step(loss)
    assert schedule.get_last_lr() == [0.1]


def test_one_cycle_moves_the_momentum_the_other_way():
    sgd = optim.SGD([nn.Parameter(rondo.ones(1))], lr=1.0, momentum=0.9)
    schedule = lr_scheduler.OneCycleLR(sgd, 1.0, total_steps=5, pct_start=0.4)
    seen = []
    for _ in range(4):
        seen.append(sgd.param_groups[0]["momentum"])
        schedule.step()
    assert seen == pytest.approx([0.95, 0.85, 0.875, 0.925])
    adam = optim.Adam([nn.Parameter(rondo.ones(1))])
    lr_scheduler.OneCycleLR(adam, 1.0, total_steps=5)
    assert adam.param_groups[0]["betas"] == (0.95, 0.999)
    with raises(rondo.ArgumentError, "OneCycleLR: step 6 of 5; the cycle is over"):
        for _ in range(3):
            schedule.step()


def test_schedules_say_what_does_not_fit():
    optimizer = optim.Adagrad([nn.Parameter(rondo.ones(1))])
    one = lr_scheduler.StepLR(optimizer, 1)
    with raises(
        rondo.ArgumentError,
        "SequentialLR: 2 schedules with 2 milestones; there must be one milestone between two "
        "schedules",
    ):
        lr_scheduler.SequentialLR(optimizer, [one, one], [1, 2])
    with raises(rondo.ArgumentError, "SequentialLR: a schedule belongs to another optimizer"):
        lr_scheduler.SequentialLR(optim.SGD([nn.Parameter(rondo.ones(1))]), [one], [])
    with raises(
        rondo.ArgumentError,
        "OneCycleLR: the length is missing; give total_steps, or epochs and steps_per_epoch",
    ):
        lr_scheduler.OneCycleLR(optimizer, 1.0)
    with raises(rondo.ArgumentError, "OneCycleLR: the optimizer has no momentum; pass cycle_momentum=False"):
        lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=5)


@pytest.mark.parametrize("centered, momentum", [(False, 0.0), (True, 0.9)])
def test_rmsprop_follows_its_formula(centered, momentum, same):
    w = nn.Parameter(rondo.tensor([1.0, -2.0], dtype=rondo.float64))
    optimizer = optim.RMSprop([w], 0.1, 0.9, 1e-8, 0.01, momentum, centered)
    x = np.array([1.0, -2.0])
    square, mean, velocity = np.zeros(2), np.zeros(2), np.zeros(2)
    for step in range(4):
        given = np.array([0.5, step - 1.0])
        w.grad = rondo.tensor(given)
        optimizer.step()
        g = given + 0.01 * x
        square = 0.9 * square + 0.1 * g * g
        mean = 0.9 * mean + 0.1 * g
        change = g / (np.sqrt(square - (mean**2 if centered else 0)) + 1e-8)
        velocity = momentum * velocity + change
        x = x - 0.1 * velocity
    same(w, x, 1e-12)


def test_adagrad_follows_its_formula(same):
    w = nn.Parameter(rondo.tensor([1.0, -2.0], dtype=rondo.float64))
    optimizer = optim.Adagrad([w], 0.1, 0.5, 0.01, 0.2)
    x, total = np.array([1.0, -2.0]), np.full(2, 0.2)
    for step in range(4):
        given = np.array([0.5, step - 1.0])
        w.grad = rondo.tensor(given)
        optimizer.step()
        g = given + 0.01 * x
        total = total + g * g
        x = x - 0.1 / (1 + step * 0.5) * g / (np.sqrt(total) + 1e-10)
    same(w, x, 1e-12)


def rosenbrock(optimizer, w):
    def closure():
        optimizer.zero_grad()
        loss = (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2
        loss.backward()
        return loss

    return closure


def test_lbfgs_finds_the_minimum_of_a_curved_valley(same):
    w = nn.Parameter(rondo.tensor([-1.2, 1.0], dtype=rondo.float64))
    optimizer = optim.LBFGS([w], max_iter=60, tolerance_change=1e-14, line_search_fn="strong_wolfe")
    first = optimizer.step(rosenbrock(optimizer, w))
    assert first.item() == pytest.approx(24.2)
    same(w, [1.0, 1.0], 1e-6)


def test_lbfgs_solves_a_quadratic_without_a_search_and_goes_on_from_a_state(same):
    scale = rondo.tensor([1.0, 10.0, 100.0], dtype=rondo.float64)

    def run(state, start, steps):
        w = nn.Parameter(start.clone())
        optimizer = optim.LBFGS([w], lr=0.5, max_iter=4)
        if state is not None:
            optimizer.load_state_dict(state)

        def closure():
            optimizer.zero_grad()
            loss = (scale * (w - 1) ** 2).sum()
            loss.backward()
            return loss

        for _ in range(steps):
            optimizer.step(closure)
        return w.detach(), optimizer.state_dict()

    start = rondo.zeros(3, dtype=rondo.float64)
    whole, _ = run(None, start, 10)
    same(whole, [1.0, 1.0, 1.0], 1e-4)
    half, state = run(None, start, 5)
    rest, _ = run(pickle.loads(pickle.dumps(state)), half, 5)
    assert rest.tolist() == whole.tolist()
    with raises(rondo.ArgumentError, "LBFGS: step needs a closure that computes loss and gradients"):
        optim.LBFGS([nn.Parameter(rondo.ones(1))]).step()
