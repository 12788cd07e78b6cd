"""Every op of the table as a function; the stub beside it is generated from the table."""

from ._C import ops as _table

__all__ = [name for name in vars(_table) if not name.startswith("_")]

globals().update({name: getattr(_table, name) for name in __all__})
