"""What calling a module does when functions hang on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._C import Tensor, is_grad_enabled
from .hooks import Hooks, RemovableHandle

if TYPE_CHECKING:
    from .module import Module


def register(module: Module, attribute: str, entry: Any, first: bool) -> RemovableHandle:
    hooks = module.__dict__[attribute]
    if hooks is None:
        hooks = module.__dict__[attribute] = Hooks()
    module.__dict__["_hooked"] = True
    return hooks.add(entry, first)  # type: ignore[no-any-return]


def call(module: Module, args: Any, kwargs: Any) -> Any:
    for hook, with_kwargs in list((module._forward_pre_hooks or {}).values()):
        if with_kwargs:
            changed = hook(module, args, kwargs)
            if changed is not None:
                args, kwargs = changed
        else:
            changed = hook(module, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
    watch = _BackwardWatch(module) if module._backward_hooks and is_grad_enabled() else None
    if watch is not None:
        args = watch.inputs(args)
    output = module.forward(*args, **kwargs)
    for hook, with_kwargs in list((module._forward_hooks or {}).values()):
        changed = hook(module, args, kwargs, output) if with_kwargs else hook(module, args, output)
        if changed is not None:
            output = changed
    return output if watch is None else watch.outputs(output)


class _BackwardWatch:
    """Collects the gradients at both ends of one call and passes them to the hooks."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.grad_input: list[Tensor | None] = []
        self.grad_output: list[Tensor | None] = []
        self.waiting = 0

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        watched = []
        for arg in args:
            if isinstance(arg, Tensor) and arg.requires_grad:
                arg = arg.reshape(arg.shape)
                arg.register_hook(self._catcher(len(self.grad_input)))
                self.waiting += 1
            if isinstance(arg, Tensor):
                self.grad_input.append(None)
            watched.append(arg)
        return tuple(watched)

    def outputs(self, output: Any) -> Any:
        listed = list(output) if isinstance(output, (tuple, list)) else [output]
        for i, item in enumerate(listed):
            self.grad_output.append(None)
            if isinstance(item, Tensor) and item.requires_grad:
                item = listed[i] = item.reshape(item.shape)
                item.register_hook(self._keeper(i))
        return type(output)(listed) if isinstance(output, (tuple, list)) else listed[0]

    def _keeper(self, place: int) -> Any:
        def keep(gradient: Tensor) -> Tensor | None:
            self.grad_output[place] = gradient
            return None if self.waiting else self._run(None)

        return keep

    def _catcher(self, place: int) -> Any:
        def catch(gradient: Tensor) -> Tensor | None:
            self.grad_input[place] = gradient
            self.waiting -= 1
            return self._run(place) if self.waiting == 0 else None

        return catch

    def _run(self, place: int | None) -> Tensor | None:
        """Calls the hooks; of a replacement, the gradient that is passing by is replaced."""
        result = None
        for hook, _ in list(self.module._backward_hooks.values()):
            changed = hook(self.module, tuple(self.grad_input), tuple(self.grad_output))
            if changed is not None and place is not None:
                listed = changed if isinstance(changed, tuple) else (changed,)
                result = self.grad_input[place] = listed[place]
        return result
