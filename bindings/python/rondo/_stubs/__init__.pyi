"""All ops as functions: rondo._C.ops.

Written by tools/make_stubs.py from the op table; do not edit.
"""

from .composite import *
from .contraction import *
from .elementwise import *
from .index import *
from .opaque import *
from .random import *
from .reduction import *
from .replaced import *
from .scan import *
from .view import *
from .window import *
