import pytest

from segjt.evaluation.grid import DEFAULT, FINDS_OBJECTS, grid_names, read_grid
from segjt.evaluation.tables import PUBLISHED


def test_named_grids_are_valid():
    assert grid_names() == ["affinity", "cuts", "nuclei", "paper", "quick", "sod", "table7"]
    for name in ("quick", "table7", "paper"):
        rows = {(row.name, row.block_size) for row in read_grid(name).rows()}
        sizes = PUBLISHED if name == "paper" else {(kernel, size) for kernel, _ in PUBLISHED for size in (16, 32)}
        assert rows >= set(sizes)
        assert (DEFAULT, None) in rows
        assert {"felzenszwalb", "slic_ncut", "mean_shift", "kmeans_lab", "otsu", "watershed"} <= {
            row[0] for row in rows
        }


def test_grids_of_other_images():
    rows = read_grid("nuclei").rows()
    assert [row.name for row in rows] == [
        *(DEFAULT, FINDS_OBJECTS, "otsu_watershed", "local_watershed", "blob_watershed")
    ]
    assert [setting for row in rows for unit in row.units for setting in unit.settings()] == [
        *({"n_segments": "auto"}, {}, {}, {}, {})
    ]
    assert read_grid("sod").rows() == [row for row in read_grid("table7").rows() if row.block_size is None]


def test_objects_take_parameters(tmp_path):
    path = tmp_path / "grid.toml"
    path.write_text('[[objects]]\nblock_size = [8, 12]\nkernel = "jt2"\n')
    (row,) = read_grid(str(path)).rows()
    assert row.method == "segjt objects"
    assert row.units[0].settings() == [{"block_size": 8, "kernel": "jt2"}, {"block_size": 12, "kernel": "jt2"}]
    path.write_text("[[objects]]\nblock_size = 2\n")
    with pytest.raises(ValueError, match="block_size = 2 is out of range"):
        read_grid(str(path))


def test_the_papers_grid_is_whole():
    units = {(row.name, row.block_size): len(row.units) for row in read_grid("paper").rows(peers=[])}
    settings = {"gaussian": 5, "jt2": 9, "jt3": 9, "expjt2": 45, "expjt3": 45, "nlin": 9}
    # The rows of Table VII: it has none of 3-point kernels with blocks of 32 x 32.
    assert units == {(kernel, size): settings[kernel] for kernel, size in PUBLISHED} | {(DEFAULT, None): 1}
    unit = read_grid("paper").rows()[0].units[0]
    spectral = [setting for setting in unit.settings() if setting["merge_method"] == "spectral"]
    assert {(setting["bins"], setting["power"]) for setting in spectral} == {
        (2**b, power) for b in range(1, 6) for power in (4, 8, 16, 32)
    }
    assert len(spectral) == len(unit.settings())


def test_rows_of_some_kernels_sizes_and_peers():
    rows = read_grid("quick").rows(["nlin", "jt2"], [8], ["otsu"])
    assert [(row.name, row.block_size) for row in rows] == [("nlin", 8), ("jt2", 8), (DEFAULT, None), ("otsu", None)]
    assert rows[0].units[0].parameters == {"kernel": "nlin", "block_size": 8}
    with pytest.raises(
        ValueError, match=r"the grid has no kernel 'jt4' \(did you mean 'jt3'\?\); choose from gaussian"
    ):
        read_grid("quick").rows(["jt4"])


def test_a_kernel_can_have_block_sizes_of_its_own(tmp_path):
    path = tmp_path / "own.toml"
    tables = '[[kernel]]\nkernel = "jt2"\n[[kernel]]\nkernel = "jt3"\nblock_size = 16\n[[merge]]\nbins = 8\n'
    path.write_text(f"block_size = [8, 16]\n{tables}")
    grid = read_grid(str(path))
    assert [(row.name, row.block_size) for row in grid.rows()] == [("jt2", 8), ("jt2", 16), ("jt3", 16)]
    (asked,) = grid.rows(["jt3"], [32])
    assert asked.units[0].parameters == {"kernel": "jt3", "block_size": 32}


def test_lists_stand_for_each_of_their_values(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text('[[kernel]]\nkernel = ["jt2", "jt3"]\nq = [0.5, 1]\n[[merge]]\nn_segments = 3\nbins = [4, 8]\n')
    (jt2, jt3) = read_grid(str(path)).rows()
    assert (jt2.name, jt2.block_size, jt3.name) == ("jt2", 16, "jt3")
    assert [unit.parameters["q"] for unit in jt2.units] == [0.5, 1]
    assert jt2.units[0].settings()[1] == {"kernel": "jt2", "q": 0.5, "block_size": 16, "bins": 8, "n_segments": 3}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[[kernel]]\nkernel = 'jt2'", "nothing says how to merge"),
        ("[[kernel]]\nq = 1\n[[merge]]\nbins = 8", r"does not say which kernel; begin it with kernel ="),
        ("[[kernel]]\nkernel = 'jt5'\n[[merge]]\nbins = 8", r"kernel = 'jt5' is unknown"),
        ("[[kernel]]\nkernel = 'jt2'\nq = [1, 3]\n[[merge]]\nbins = 8", "q = 3"),
        ("[[kernel]]\nkernel = 'jt2'\n[[merge]]\nbins = [8, 64]", "bins = 64 is out of range"),
        ("[[kernel]]\nkernel = 'jt2'\n[[merge]]\nbin = 8", "unknown parameter 'bin'|unexpected keyword argument 'bin'"),
        ("[[kernel]]\nkernel = 'jt2'\n[[merge]]\nbins = []", r"bins = \[\] is empty"),
        ("[[kernel]]\nkernel = 'jt2'\n[[merge]]\nbins = [8, 8]", r"bins = \[8, 8\] is empty or has a value twice"),
        ("[[kernel]]\nkernel = 'jt2'\nmethod = 'whole'\n[[merge]]\nbins = 8", "a grid is for method = blocks"),
        ("[[peer]]\npeer = 'otzu'", "no peer is called 'otzu'"),
        ("[peer]\npeer = 'otsu'", r"peer is not a list of tables; write \[\[peer\]\]"),
        ("blocksize = 16", r"'blocksize' is not part of a grid \(did you mean 'block_size'\?\)"),
        ("", "the grid is empty"),
        ("images = 0\n[[peer]]\npeer = 'otsu'", "images = 0 is not valid"),
        ("kernel = [", "own.toml"),
    ],
)
def test_a_wrong_grid_is_named_with_the_reason(tmp_path, text, reason):
    path = tmp_path / "own.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=reason) as caught:
        read_grid(str(path))
    assert str(path) in str(caught.value)


def test_no_such_grid():
    with pytest.raises(
        FileNotFoundError, match=r"table8: no such grid \(did you mean 'table7'\?\); choose from affinity"
    ):
        read_grid("table8")
