"""Names for the types of arrays that rooms share."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

# Label maps: 1..K, compact; 0 only for masked-out pixels (in `objects`: background).
Labels: TypeAlias = NDArray[np.int32]
# The group, from 0, that each segment, point or row belongs to.
Groups: TypeAlias = NDArray[np.intp]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
# Indices in 32 bits, where memory counts: places in a heap, columns of sparse rows.
Places: TypeAlias = NDArray[np.int32]
Indices: TypeAlias = NDArray[np.intp]
# Indices without sign in the innermost loops: numba tests every other index for being negative.
Unsigned: TypeAlias = NDArray[np.uint64]
Mask: TypeAlias = NDArray[np.bool_]
# Histograms: int32 where the image is small enough for it, else int64.
Counts: TypeAlias = NDArray[np.signedinteger]

# A scipy.sparse.csr_array of non-negative float64, such as the words of documents; scipy ships no type hints.
SparseRows: TypeAlias = Any
