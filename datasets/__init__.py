"""Data to try segjt on and to measure it with: images with their truth, labelled vectors and texts.

In come paths; out come items, of which nothing is read until it is asked for. This package knows `segjt.io`,
`segjt.image` and `segjt.fields`; `segjt.evaluation` and the command line know it.

**Samples**: `sample_names`, `load_sample`: a few images drawn for segjt, with their truth.

**Benchmarks**: `weizmann`, `bsds`, `sod`, `nuclei` and `folder` list the images of

- the Weizmann segmentation evaluation database, one or two objects per image
  (www.wisdom.weizmann.ac.il/~vision/Seg_Evaluation_DB): unpacked, or the zip archives, which are read in place;
- the Berkeley sets BSDS500 (`.mat` truth) and BSDS300 (`.seg` truth), unpacked
  (www2.eecs.berkeley.edu/Research/Projects/CS/vision/grouping/resources.html);
- SOD, masks of the salient objects of Berkeley's images
  (www.elderlab.yorku.ca/resources/salient-objects-dataset-sod);
- the nuclei of the 2018 Data Science Bowl (bbbc.broadinstitute.org/BBBC038): unpacked, the zip archive, or label maps;
- any folder of images with masks: NAME.png with masks/NAME.png or NAME_mask.png.

Nothing is downloaded. The data are found through `data=` or the environment variable SEGJT_DATA, a folder such as ::

    DATA/weizmann/1obj/NAME/src_color/NAME.png    or DATA/weizmann/1obj.zip, DATA/Weizmann_Seg_DB_1obj.ZIP, ...
    DATA/weizmann/1obj/NAME/human_seg/NAME_1.png  ...
    DATA/weizmann/2obj/...
    DATA/bsds500/images/train/ID.jpg              or DATA/BSR/BSDS500/data/images/..., DATA/BSDS300/images/...
    DATA/bsds500/groundTruth/train/ID.mat         or DATA/BSDS300/human/color/USER/ID.seg
    DATA/sod/masks/ID.png                         with Berkeley's images
    DATA/nuclei/images/ID.png                     or DATA/stage1_train/ID/images/ID.png, DATA/stage1_train.zip
    DATA/nuclei/labels/ID.png                     or DATA/stage1_train/ID/masks/*.png

in upper or lower case. If they are missing, the error says where to get them and how to lay them out. Each function
returns a sorted list of items:

>>> import tempfile
>>> from PIL import Image
>>> with tempfile.TemporaryDirectory() as path:
...     for name in ("cup.png", "cup_mask.png"):
...         Image.new("RGB", (40, 30), "white").save(f"{path}/{name}")
...     for item in folder(path):
...         item.name, item.image().shape, item.truth().shape, len(item.digest())
('cup', (30, 40, 3), (1, 30, 40), 64)

The image is (H, W, 3) uint8; the truth is (n, H, W): masks of n objects (bool), maps of n people (int32), or one map
of many objects (int32, 0 for the background); `truth_kind` says which. The digest identifies image and truth by their
bytes.

A damaged or missing file is an OSError or ValueError that names it, raised by `image`, `truth` and `digest` of that
item only: the others can be used. The scores of these images are in `segjt.evaluation`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from segjt.datasets.berkeley_database import bsds
from segjt.datasets.folders import folder
from segjt.datasets.items import Item
from segjt.datasets.nuclei_database import nuclei
from segjt.datasets.salient_objects_database import sod
from segjt.datasets.weizmann_database import weizmann
from segjt.fields import suggestion
from segjt.runtime.arrays import Labels

SAMPLES_FOLDER = Path(__file__).parent / "samples"

__all__ = ["SAMPLES_FOLDER", "Item", "bsds", "folder", "load_sample", "nuclei", "sample_names", "sod", "weizmann"]


def sample_names() -> list[str]:
    """Return the names of the sample images."""
    return sorted(path.stem for path in SAMPLES_FOLDER.glob("*.png") if not path.stem.endswith("_truth"))


def load_sample(name: str) -> tuple[NDArray[Any], Labels]:
    """Return a sample image (H, W, 3) uint8 and its true segments, labels from 1."""
    from segjt.io.images import read_image
    from segjt.io.label_maps import read_labels

    if name not in sample_names():
        raise ValueError(
            f"no sample is called {name!r}{suggestion(name, sample_names())}; choose from {', '.join(sample_names())}"
        )
    return read_image(SAMPLES_FOLDER / f"{name}.png").pixels, read_labels(SAMPLES_FOLDER / f"{name}_truth.png")
