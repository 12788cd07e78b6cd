"""Expected errors, whose whole text is compared."""

from contextlib import contextmanager

import pytest


@contextmanager
def raises(kind, text):
    """The block must raise a `kind` with exactly this text."""
    with pytest.raises(kind) as caught:
        yield
    assert str(caught.value) == text
