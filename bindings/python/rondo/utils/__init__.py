"""Helpers around training."""

from . import data

__all__ = ["data"]
