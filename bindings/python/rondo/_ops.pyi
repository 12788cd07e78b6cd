"""The ops that are functions of rondo.

Written by tools/make_stubs.py from the op table; do not edit.
"""

from ._stubs.composite import *
from ._stubs.contraction import *
from ._stubs.elementwise import *
from ._stubs.index import *
from ._stubs.opaque import *
from ._stubs.random import *
from ._stubs.reduction import *
from ._stubs.scan import *
from ._stubs.view import *
from ._stubs.window import *
absolute = abs
arccos = acos
arcsin = asin
arctan = atan
arctan2 = atan2
clip = clamp
concat = cat
divide = div
fix = trunc
greater = gt
greater_equal = ge
less = lt
less_equal = le
multiply = mul
negative = neg
not_equal = ne
sgn = sign
subtract = sub
swapaxes = transpose
swapdims = transpose
true_divide = div
