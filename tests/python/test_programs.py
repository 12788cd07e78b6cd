"""Programs that are trained: traced in both modes, loaded, fine-tuned, saved again."""

import importlib.util
from pathlib import Path

import pytest
from whole_errors import raises

import rondo
from rondo import nn, optim
from rondo.nn import functional as F

GOLDEN = Path(__file__).resolve().parent.parent / "golden"


def make_script():
    spec = importlib.util.spec_from_file_location("make_golden", GOLDEN / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 6)
        self.norm = nn.BatchNorm1d(6)
        self.drop = nn.Dropout(0.25)
        self.last = nn.Linear(6, 2)

    def forward(self, x):
        return self.last(self.drop(F.relu(self.norm(self.first(x)))))

    def loss(self, x, target):
        with rondo.no_grad():
            weight = F.softmax(self(x), -1)
        penalty = (weight * F.log_softmax(self(x), -1)).sum() * 0.01
        return F.cross_entropy(self(x), target) - penalty + self.last.bias.detach().sum()


def examples():
    return rondo.randn(8, 3), rondo.tensor([0, 1] * 4)


def traced(model, mode="both"):
    x, target = examples()
    loss = rondo.jit.Method(model.loss, (x, target))
    return rondo.trace(model, x, mode=mode, methods={"loss": loss})


def states(named):
    return {name: tensor.tolist() for name, tensor in named.items()}


def steps(run, optimizer, count):
    x, target = examples()
    for _ in range(count):
        optimizer.zero_grad()
        run(x, target).backward()
        optimizer.step()


def test_a_loaded_program_trains_with_the_bits_of_the_model(tmp_path):
    model = Net()
    rondo.save(traced(model), tmp_path / "net.rondo")
    program = rondo.load(tmp_path / "net.rondo").train()
    assert states(program.state_dict()) == states(model.state_dict())
    rondo.manual_seed(0)
    steps(lambda *batch: program.run("loss", *batch), optim.Adam(program.parameters()), 4)
    seed = rondo.get_rng_state()
    model.train()
    rondo.manual_seed(0)
    data = examples()
    optimizer = optim.Adam(model.parameters())
    rondo.manual_seed(0)  # a program draws from a generator of its own, which begins with seed 0
    for _ in range(4):
        optimizer.zero_grad()
        model.loss(*data).backward()
        optimizer.step()
    assert states(program.state_dict()) == states(model.state_dict())
    assert seed.tolist()[1] == 1  # only the examples were drawn from the process's generator


def test_tracing_leaves_the_model_and_the_generator_as_they_were():
    model = Net()
    model.norm.eval()
    before, state = states(model.state_dict()), rondo.get_rng_state().tolist()
    modes = [module.training for module in model.modules()]
    x = rondo.ones(8, 3)
    rondo.trace(model, x, mode="both")
    assert states(model.state_dict()) == before
    assert rondo.get_rng_state().tolist() == state
    assert [module.training for module in model.modules()] == modes
    assert all(parameter.requires_grad for parameter in model.parameters())


def test_a_fine_tuned_program_is_saved_and_verified(tmp_path):
    program = traced(Net()).train()
    steps(lambda *batch: program.run("loss", *batch), optim.SGD(program.parameters(), lr=0.1), 2)
    program.save(tmp_path / "tuned.rondo")
    loaded = rondo.load(tmp_path / "tuned.rondo")
    assert loaded.verify() == []
    assert states(loaded.state_dict()) == states(program.state_dict())
    x, _ = examples()
    assert loaded(x).tolist() == program.eval()(x).tolist()
    assert loaded.train()  # and can be trained again
    assert len(list(loaded.parameters())) == len(list(program.parameters()))


def test_a_method_that_is_the_same_in_both_modes_has_one_body():
    model = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
    x = rondo.randn(4, 3)
    program = rondo.trace(model, x, mode="both")
    assert program.train()(x).tolist() == program.eval()(x).tolist() == model(x).tolist()
    with raises(
        rondo.ArgumentError,
        "run: method 'forward' was not exported for train mode; trace it with mode=\"both\"",
    ):
        rondo.trace(model, x).train()(x)
    with raises(rondo.ArgumentError, "trace: mode is 'all'; expected 'eval', 'train' or 'both'"):
        rondo.trace(model, x, mode="all")


def test_programs_are_differentiated_with_respect_to_inputs():
    program = rondo.trace(lambda x: (x * x).sum(), rondo.ones(3))
    x = rondo.tensor([1.0, 2.0, 3.0], requires_grad=True)
    program(x).backward()
    assert x.grad.tolist() == [2, 4, 6]
    with rondo.no_grad():
        assert not program(x).requires_grad


def test_parameters_that_were_frozen_stay_frozen():
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    model[0].requires_grad_(False)
    program = rondo.trace(model, rondo.ones(1, 3), mode="both").train()
    assert [name for name, _ in program.named_parameters()] == ["1.weight", "1.bias"]
    program(rondo.ones(1, 3)).sum().backward()
    assert all(parameter.grad is not None for parameter in program.parameters())
    program.zero_grad()
    assert all(parameter.grad is None for parameter in program.parameters())


def test_states_are_loaded_into_programs():
    model = nn.Linear(3, 2)
    program = rondo.trace(nn.Linear(3, 2), rondo.ones(1, 3))
    program.load_state_dict(model.state_dict())
    x = rondo.randn(1, 3)
    assert program(x).tolist() == model(x).tolist()
    with raises(rondo.ArgumentError, "load_state_dict: missing: bias; unexpected: bias2"):
        program.load_state_dict({"weight": model.weight, "bias2": model.bias})


def test_a_method_that_is_no_method_is_told():
    with raises(
        rondo.ArgumentError,
        "trace: method 'loss' is function; expected rondo.jit.Method(fn, example_inputs)",
    ):
        rondo.trace(lambda x: x + 1, rondo.ones(2), methods={"loss": lambda x: x})


def test_methods_share_constants_only_where_they_are_equal():
    one, two = rondo.tensor([1.0]), rondo.tensor([2.0])
    x = rondo.ones(1)
    more = {
        "twice": rondo.jit.Method(lambda x: x * two, x),
        "again": rondo.jit.Method(lambda x: x + rondo.tensor([1.0]), x),
    }
    program = rondo.trace(lambda x: x * one, x, methods=more)
    assert program(x).item() == 1
    assert program.run("twice", x).item() == 2
    assert program.run("again", x).item() == 2
    assert program.verify() == []


def test_what_a_program_cannot_hold_is_an_error():
    x = rondo.ones(3)

    def draws(x):
        return x + rondo.randn(3, generator=rondo.Generator())

    with raises(
        rondo.UnsupportedError,
        f"trace: test_programs.py:{draws.__code__.co_firstlineno + 1}: randn draws from a generator of its "
        "own; what is exported draws from the default one",
    ):
        rondo.trace(draws, x)
    with raises(
        rondo.ArgumentError,
        "trace: forward: a tensor of shape [3] that was made without calls of ops differs from "
        "run to run; what is exported cannot make it anew",
    ):
        rondo.trace(
            lambda x: x + rondo.tensor(list(range(len(x)))).sum(), x, dynamic={0: {0: "n"}}
        )


def test_sizes_that_the_trace_does_not_hold_for_are_kept_out():
    def refused(program, shape, text):
        with raises(rondo.ShapeError, f"forward: the sizes break a guard: {text}"):
            program(rondo.ones(*shape))

    def clamped(x):
        return x[:, : min(x.shape[1], 4)] + 1

    program = rondo.trace(clamped, rondo.ones(2, 8), dynamic={0: {1: "n"}})
    assert program.signature()["forward"]["guards"] == ["n >= 4"]
    assert program(rondo.ones(2, 4)).shape == (2, 4) and program(rondo.ones(2, 99)).shape == (2, 4)
    refused(
        program,
        (2, 3),
        "n >= 4, where n is 3: the trace does not hold for 3: an integer is 3 where 4 follows "
        "from the trace (forward)",
    )

    def limited(x):
        return x * 2 if x.shape[0] <= 6 else x

    program = rondo.trace(limited, rondo.ones(4, 1), dynamic={0: {0: "n"}})
    assert program.signature()["forward"]["guards"] == ["n <= 6"]
    refused(
        program,
        (7, 1),
        "n <= 6, where n is 7: the trace does not hold for 7: the calls depend on a size: mul "
        "with the example, nothing with another size; loops over a dynamic size cannot be "
        f"exported (test_programs.py:{limited.__code__.co_firstlineno + 1})",
    )

    def halves(x):
        return x.reshape(x.shape[0] // 2, 2, 3).sum(1)

    program = rondo.trace(halves, rondo.ones(4, 3), dynamic={0: {0: "n"}})
    assert program.signature()["forward"]["outputs"][0]["shape"] == ["n//2", 3]
    assert program(rondo.ones(10, 3)).shape == (5, 3)
    refused(
        program,
        (5, 3),
        "n//2*2 == n, where n is 5: the trace holds for sizes in steps of 2: between them the "
        "function fails",
    )
    assert program.signature()["forward"]["guards"] == ["n//2*2 == n"]


def test_guards_are_found_far_above_the_examples():
    class Positions(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(512, 4)

        def forward(self, x):
            return x + self.table(rondo.arange(x.shape[1]))

    program = rondo.trace(Positions(), rondo.ones(2, 8, 4), {"x": {0: "batch", 1: "seq"}})
    assert rondo.ones(2).tolist() == [1, 1]  # calls are not followed any more
    assert program.signature()["forward"]["guards"] == ["seq <= 512"]
    assert program(rondo.ones(1, 512, 4)).shape == (1, 512, 4)
    with raises(
        rondo.ShapeError,
        "forward: the sizes break a guard: seq <= 512, where seq is 513: the trace does not "
        "hold for 513: the function fails",
    ):
        program(rondo.ones(1, 513, 4))

    def branches(x):
        return x * 2 if x.shape[0] < 10_000 else x

    program = rondo.trace(branches, rondo.ones(2, 3), {"x": {0: "n"}})
    assert program.signature()["forward"]["guards"] == ["n <= 9999"]


def test_integers_may_follow_products_of_sizes():
    def flat(x):
        return x.reshape(x.shape[0] * x.shape[1], 3) + rondo.arange(x.shape[0] * x.shape[1])[:, None]

    dynamic = {0: {0: "batch", 1: "seq"}}
    program = rondo.trace(flat, rondo.ones(2, 4, 3), dynamic=dynamic)
    assert program.signature()["forward"]["outputs"][0]["shape"] == ["batch*seq", 3]
    x = rondo.randn(5, 7, 3)
    assert program(x).tolist() == flat(x).tolist()
    assert program.signature()["forward"]["guards"] == []


def test_a_seed_gives_the_same_numbers_whatever_else_is_drawn():
    program = rondo.trace(nn.Dropout(0.5), rondo.ones(64), mode="train")
    first = program.manual_seed(7)(rondo.ones(64)).tolist()
    rondo.randn(3)
    assert program(rondo.ones(64)).tolist() != first
    assert program.manual_seed(7)(rondo.ones(64)).tolist() == first
    assert program.verify() == []
    rondo.manual_seed(7)
    assert F.dropout(rondo.ones(64), 0.5).tolist() == first


def test_a_run_that_lasts_too_long_is_ended():
    program = rondo.trace(lambda x: (x @ x).sum(), rondo.ones(8, 8))
    with raises(rondo.DeadlineError, "run: 'forward' was ended: its deadline has passed"):
        program.run("forward", rondo.ones(8, 8), timeout=1e-9)
    assert program.run("forward", rondo.ones(8, 8), timeout=60.0).item() == 512
    program.cancel()  # nothing runs
    assert program(rondo.ones(8, 8)).item() == 512
    with raises(rondo.ArgumentError, "run: timeout is 0; expected a positive number of seconds"):
        program.run("forward", rondo.ones(8, 8), timeout=0)


class Step(nn.Module):
    """One step of a recurrent language model."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(11, 8)
        self.cell = nn.Linear(16, 8)
        self.head = nn.Linear(8, 11)

    def forward(self, token, hidden):
        hidden = rondo.tanh(self.cell(rondo.cat([self.embedding(token), hidden], 1)))
        return self.head(hidden), hidden


def test_a_language_model_is_one_step_with_declared_state(tmp_path):
    model = Step()
    token, hidden = rondo.tensor([3, 4]), rondo.zeros(2, 8)
    names = ["logits", "hidden_out"]
    dynamic = {"token": {0: "batch"}, "hidden": {0: "batch"}}
    given = {"output_names": names, "state": {"hidden_out": "hidden"}}
    rondo.save(rondo.trace(model, [token, hidden], dynamic, **given), tmp_path / "step.rondo")
    program = rondo.load(tmp_path / "step.rondo")
    assert program.signature()["forward"]["state"] == {"hidden_out": "hidden"}

    def sampled(step):
        token, hidden, tokens = rondo.tensor([1]), rondo.zeros(1, 8), []
        with rondo.no_grad():
            for _ in range(20):
                logits, hidden = step(token, hidden)
                token = logits.argmax(1)
                tokens.append(token.item())
        return tokens, hidden.tolist()

    assert sampled(program) == sampled(model)
    for state, text in (
        (
            {"hidden": "hidden"},
            "trace: state names 'hidden' and 'hidden'; expected an output and an input of forward",
        ),
        (
            {"logits": "token"},
            "trace: state joins 'logits', [batch, 11] of float32, and 'token', [batch] of int64; "
            "expected equal dtypes and ranks",
        ),
    ):
        with raises(rondo.ArgumentError, text):
            rondo.trace(model, [token, hidden], dynamic, output_names=names, state=state)


def test_a_run_above_its_limit_of_work_is_not_finished():
    program = rondo.trace(lambda x: (x @ x).sum(), rondo.ones(8, 8))
    with raises(rondo.UnsupportedError, "matmul: the run has done 612 units of work; its limit is 500"):
        program.run("forward", rondo.ones(8, 8), max_work=500)
    assert program.run("forward", rondo.ones(8, 8), max_work=1e6).item() == 512
    with raises(rondo.ArgumentError, "run: max_work is 0; expected a positive number"):
        program.run("forward", rondo.ones(8, 8), max_work=0)


def test_a_memory_limit_is_an_error_with_the_figures_and_can_be_lifted():
    live = rondo.memory_in_use()
    assert rondo.set_memory_limit(live + 1000) is None
    try:
        with raises(
            rondo.OutOfMemoryError,
            f"allocate: out of memory: 4000000 bytes asked for, {live} live, the limit is {live + 1000}; "
            "free tensors or raise the limit",
        ):
            rondo.ones(1_000_000)
    finally:
        assert rondo.set_memory_limit(None) > 0
    assert rondo.ones(1_000_000).sum().item() == 1_000_000


def test_copied_weights_outlive_a_file_that_is_overwritten_in_place(tmp_path):
    path = tmp_path / "model.rondo"
    x = rondo.randn(3, 8)
    rondo.save(rondo.trace(nn.Linear(8, 8), x), path)
    program = rondo.load(path, weights="copy")
    expected = rondo.load(path)(x).tolist()
    with open(path, "r+b") as file:
        file.truncate(0)
    assert program(x).tolist() == expected


def test_batch_norm_in_train_mode_is_exported_for_any_batch():
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU())
    program = rondo.trace(model, rondo.randn(4, 1, 6, 6), {0: {0: "batch"}}, mode="both").train()
    for batch in (2, 4, 9):
        x = rondo.randn(batch, 1, 6, 6)
        assert program(x).tolist() == model(x).tolist()
        assert states(program.state_dict()) == states(model.state_dict())


def test_ten_steps_of_the_golden_archive_give_the_golden_bits():
    script = make_script()
    for name, kind, settings in (
        ("adam", optim.Adam, {"lr": 0.05, "weight_decay": 0.01}),
        ("sgd", optim.SGD, {"lr": 0.1, "momentum": 0.9, "dampening": 0.1}),
    ):
        program = rondo.load(GOLDEN / "v1" / "fine_tune.rondo").train()
        script.train(program, kind(program.parameters(), **settings))
        expected = rondo.load(GOLDEN / "v1" / f"fine_tuned_{name}.rondo")
        assert states(program.state_dict()) == states(expected.state_dict())


class InPlace(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.act = nn.ReLU(inplace=True)
        self.drop = nn.Dropout(0.5, inplace=True)

    def forward(self, x):
        y = self.first(x)
        kept = y * 1
        z = self.drop(self.act(y))
        y += kept  # y is what the activation made of it
        z.mul_(2).sub_(y.sum(1, keepdim=True))
        return y, z


def test_results_that_are_written_in_place_whole_are_exported(tmp_path):
    model = InPlace()
    program = rondo.trace(model, rondo.randn(4, 3), {"x": {0: "batch"}}, mode="both")
    rondo.save(program, tmp_path / "in_place.rondo")
    x = rondo.randn(5, 3)
    model.eval()
    for run in (program.eval(), rondo.load(tmp_path / "in_place.rondo")):
        assert [r.tolist() for r in run(x)] == [r.tolist() for r in model(x)]
    program.train()
    loss = sum(r.square().sum() for r in program(x))
    loss.backward()
    assert all(p.grad is not None for p in program.parameters())
    model.train()
    rondo.manual_seed(0)
    program.manual_seed(0)
    expected = model(x)
    assert [r.tolist() for r in program(x)] == [r.tolist() for r in expected]


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.relu_(),  # an input: the caller would see it
        lambda x: (x * 1)[0].relu_() + x,  # a part
        lambda x: [y := x * 1, v := y[0], y.relu_(), v][3],  # one that a view looks into
    ],
)
def test_other_writes_in_place_are_told(write):
    line = write.__code__.co_firstlineno
    with raises(
        rondo.UnsupportedError,
        f"trace: test_programs.py:{line}: relu_ writes in place into what is no buffer of the module; "
        "use relu in what is exported",
    ):
        rondo.trace(write, rondo.ones(2, 3))


def test_a_method_of_a_module_is_traced_with_its_parameters():
    class Coder(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = nn.Linear(3, 2), nn.Linear(2, 3)

        def decode(self, code):
            return self.last(code)

    coder = Coder()
    program = rondo.trace(coder.decode, rondo.ones(1, 2), {"code": {0: "batch"}})
    code = rondo.randn(4, 2)
    assert program(code).tolist() == coder.decode(code).tolist()
    assert program.state_dict()["last.weight"].tolist() == coder.last.weight.tolist()
    closed = rondo.trace(lambda code: coder.last(code), rondo.ones(1, 2))
    assert closed(code[:1]).tolist() == coder.decode(code[:1]).tolist()
