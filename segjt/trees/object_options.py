"""What one can ask of objects; without numpy, as the command line reads its options off these fields."""

from __future__ import annotations

import dataclasses

from segjt.fields import check_fields, documented, field

# Things of fewer pixels have no shape that one could tell.
SMALLEST = 15


@documented
@dataclasses.dataclass(frozen=True)
class ObjectOptions:
    """Which things count as objects.

    Examples
    --------
    >>> ObjectOptions(polarity="bright").min_size
    15
    """

    min_size: int = field(SMALLEST, "fewest pixels of an object", int, low=1)
    max_size: int | None = field(
        None, "most pixels of an object (default: half of the image)", int, low=1, optional=True
    )
    polarity: str = field(
        "any",
        "whether objects are brighter or darker than what is around them",
        str,
        words=lambda: ("any", "bright", "dark"),
    )

    def __post_init__(self) -> None:
        check_fields(self)
        if self.max_size is not None and self.max_size < self.min_size:
            raise ValueError(
                f"max_size = {self.max_size} is below min_size = {self.min_size}, so that no object fits; "
                "give a larger max_size or a smaller min_size"
            )
