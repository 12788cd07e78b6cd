"""Random numbers: seeds, states, generators."""

import rondo


def test_a_seed_belongs_to_a_stream():
    rondo.manual_seed(3)
    a, b = rondo.rand(5), rondo.randn(5)
    rondo.manual_seed(3)
    assert rondo.rand(5).tolist() == a.tolist() and rondo.randn(5).tolist() == b.tolist()
    assert rondo.initial_seed() == 3
    assert rondo.rand(5).tolist() != a.tolist()


def test_states_are_saved_and_put_back():
    rondo.rand(3)
    state = rondo.get_rng_state()
    first = rondo.rand(4).tolist()
    rondo.set_rng_state(state)
    assert rondo.rand(4).tolist() == first
    with rondo.fork_rng():
        inside = rondo.rand(4).tolist()
    assert rondo.rand(4).tolist() == inside
    seed = rondo.seed()
    assert seed == rondo.initial_seed()


def test_a_generator_of_ones_own_does_not_disturb_the_default_one():
    state = rondo.get_rng_state().tolist()
    g = rondo.Generator().manual_seed(5)
    a = rondo.rand(3, generator=g)
    p = rondo.randperm(10, generator=g)
    assert rondo.get_rng_state().tolist() == state
    g.manual_seed(5)
    assert rondo.rand(3, generator=g).tolist() == a.tolist()
    assert rondo.randperm(10, generator=g).tolist() == p.tolist()
    assert sorted(p.tolist()) == list(range(10))


def test_distributions_are_roughly_right():
    n = 20000
    assert abs(rondo.rand(n).mean().item() - 0.5) < 0.02
    assert abs(rondo.randn(n).std().item() - 1) < 0.03
    drawn = rondo.randint(2, 5, (n,))
    assert set(drawn.tolist()) == {2, 3, 4}
    assert sorted(rondo.randperm(100).tolist()) == list(range(100))
    x = rondo.empty(n).uniform_(-2, 2)
    assert -2 <= x.min().item() and x.max().item() < 2
    assert abs(rondo.normal(3.0, 0.5, (n,)).mean().item() - 3) < 0.02
    weights = rondo.tensor([0.0, 1.0, 3.0])
    counts = rondo.multinomial(weights, n, replacement=True)
    assert abs((counts == 2).float().mean().item() - 0.75) < 0.02
    g = rondo.Generator().manual_seed(1)
    a = rondo.multinomial(weights, 5, True, generator=g).tolist()
    assert a == rondo.multinomial(weights, 5, True, generator=g.manual_seed(1)).tolist()
