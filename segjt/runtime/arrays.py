"""Names for the types of arrays, each defined here and nowhere else."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

# Label maps: 1..K, compact; 0 only for masked-out pixels (in `objects`: background).
Labels: TypeAlias = NDArray[np.int32]
# The group, from 0, that each segment, point or row belongs to.
Groups: TypeAlias = NDArray[np.intp]

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Places: TypeAlias = NDArray[np.int32]
Indices: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]
# Histograms: int32 where the image is small enough for it, else int64.
Counts: TypeAlias = NDArray[np.signedinteger]
