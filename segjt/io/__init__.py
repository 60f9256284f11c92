"""Files in and out.

In: paths of images, label maps and merge trees. Out: `Image`, label maps, `MergeTree`, and files on disk, written all
together or not at all. Nothing is reduced to 8 bits, left unrotated or half written.
Knows `image` and `runtime`, and `trees` to save and load them; never the pipeline or what is made of results.
"""

from segjt.io.decoding import FORMATS, is_image
from segjt.io.files import check_targets, intended_name, read_file, write_files
from segjt.io.images import decode_image, encode_png, read_image
from segjt.io.label_maps import LABEL_SUFFIXES, encode_labels, label_suffix, read_labels, write_labels
from segjt.io.tables import encode_csv
from segjt.io.trees import load_tree, save_tree

__all__ = [
    "FORMATS",
    "LABEL_SUFFIXES",
    "check_targets",
    "decode_image",
    "encode_csv",
    "encode_labels",
    "encode_png",
    "intended_name",
    "is_image",
    "label_suffix",
    "load_tree",
    "read_file",
    "read_image",
    "read_labels",
    "save_tree",
    "write_files",
    "write_labels",
]
