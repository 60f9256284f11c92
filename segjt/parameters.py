"""Parameters: one frozen dataclass, the only list of knobs."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segjt.kernels.registry import kernel_class, kernel_names, make_kernel
from segjt.knobs import check_knobs, knob, knobs_of, suggestion

if TYPE_CHECKING:
    from segjt.kernels.base import Kernel

# The fields that belong to the kernel. None means: the kernel's own default.
KERNEL_FIELDS = ("q", "t", "sigma", "n", "degree", "c")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Parameters:
    """Everything that can be set. Values are checked when an instance is made.

    Examples
    --------
    >>> from segjt import Parameters
    >>> Parameters(kernel="jt2", q=1.25).replace(block_size=32).block_size
    32
    """

    kernel: str = knob("expjt2", "kernel that compares the colours of two pixels", str, words=kernel_names)
    q: float | None = knob(None, "entropic index of the Jensen-Tsallis kernels, 0 to 2", float, optional=True)
    t: float | None = knob(
        None, "factor in the exponent of the exponential Jensen-Tsallis kernels, above 0", float, optional=True
    )
    sigma: float | None = knob(
        None, "width of the Gaussian kernel, in units of colour from 0 to 1", float, optional=True
    )
    n: int | None = knob(None, "number of points of the n-point kernels, 2 or more", int, optional=True)
    degree: int | None = knob(None, "degree of the polynomial kernel, 1 or more", int, optional=True)
    c: float | None = knob(None, "constant of the polynomial kernel, 0 or more", float, optional=True)
    block_size: int = knob(16, "largest side of a block, in pixels; 16 or 32 in the paper", int, low=4)
    segments_per_block: int = knob(8, "how many segments a block is cut into, at most", int, low=1)
    distance_lambda: float = knob(
        0.08, "how much pixel distance counts against colour (lambda of eq. 17)", float, low=0, high=1
    )
    distance_sigma: float = knob(
        2.0, "range of the pixel distance, in pixels (sigma of eq. 17)", float, low=1e-3, high=1e6
    )
    bins: int = knob(8, "bins of a segment's histogram, per channel", int, low=2, high=32)
    power: float = knob(
        12.0, "power of the Bhattacharyya coefficient; 4 to 32 in the paper", float, low=1e-3, high=1000
    )
    n_segments: int | str = knob(
        "auto",
        "number of segments of the result; auto finds up to 24",
        int,
        low=1,
        high=2**31 - 1,
        words=lambda: ["auto"],
    )
    merge_method: str = knob(
        "histograms", "how the small segments are merged", str, words=lambda: ["histograms", "ncut", "spectral"]
    )
    workers: int | None = knob(
        None, "threads; the result does not depend on it (default: the cores)", int, low=1, optional=True
    )
    rng: int = knob(0, "seed of the random numbers", int, low=0)

    def __post_init__(self) -> None:
        check_knobs(self)
        self.make_kernel()

    def make_kernel(self) -> Kernel:
        """Return the kernel with its parameters."""
        given = {name: getattr(self, name) for name in KERNEL_FIELDS if getattr(self, name) is not None}
        return make_kernel(self.kernel, **given)

    def replace(self, **changes: Any) -> Parameters:
        """Return a copy with some values changed; a kernel parameter that the new kernel lacks is dropped."""
        check_names(changes)
        if "kernel" in changes:
            known = knobs_of(kernel_class(changes["kernel"]))
            changes = {name: None for name in KERNEL_FIELDS if name not in known} | changes
        return dataclasses.replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Return all values that are set, with the kernel's defaults filled in, so that a record stays valid."""
        values = dataclasses.asdict(self) | self.make_kernel().parameters()
        return {name: value for name, value in values.items() if value is not None}

    def to_toml(self) -> str:
        """Return the values as a TOML config file, each under its doc line."""
        declared = knobs_of(self)
        return "".join(
            f"# {declared[name].doc}\n{name} = {json.dumps(value)}\n" for name, value in self.to_dict().items()
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Parameters:
        """Make parameters from a mapping; an unknown name is a ValueError that lists the choices."""
        check_names(values)
        return cls(**values)


def check_names(values: Mapping[str, Any]) -> None:
    """Raise a ValueError if a name is not one of a parameter."""
    known = list(knobs_of(Parameters))
    for name in values:
        if name not in known:
            raise ValueError(f"unknown parameter {name!r}{suggestion(name, known)}; choose from {', '.join(known)}")


def read_config(path: str | Path) -> dict[str, Any]:
    """Return the parameters of a TOML config file, or of the JSON record beside a result.

    Names are checked here; values when `Parameters` is made of them.
    """
    import tomllib

    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        values = json.loads(text) if Path(path).suffix.lower() == ".json" else tomllib.loads(text)
        if isinstance(values, dict) and isinstance(values.get("parameters"), dict):
            values = values["parameters"]
        if not isinstance(values, dict):
            raise ValueError("it holds no table of parameters")
        check_names(values)
    except ValueError as error:
        raise ValueError(f"{path}: {error}; give a TOML file of parameters or the JSON record of a result") from None
    return values
