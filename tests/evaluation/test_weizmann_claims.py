"""What papers 000 and 001 say in words about images, on invented scores."""

import json

import numpy as np
import pytest
from benchmark_data import results

from segjt.evaluation.table_files import object_json, object_markdown, weizmann_cells, weizmann_sentences
from segjt.evaluation.tables import object_table
from segjt.evaluation.unit_of_work import Unit
from segjt.evaluation.weizmann_claims import weizmann_claims

NOISE = 0.01 * np.sin(np.arange(30))


def row(name, size, f, **parameter):
    """Thirty images; `parameter` has values with means f, each with two numbers of segments."""
    ((parameter, values),) = (parameter or {"bins": [4]}).items()
    variants = ({parameter: values, "merge_method": ["spectral"], "n_segments": [2, 3]},)
    columns = []
    for setting in Unit("segjt", {}, variants).settings():
        place = values.index(setting[parameter])
        columns.append(f[place] - 0.1 * (setting["n_segments"] == 3) + NOISE * (1 + place))
    return results(name, size, variants, np.stack(columns, 1))


@pytest.fixture
def table():
    """As the paper has it in 16x16 blocks; in 32x32 blocks the Gaussian kernel is the best."""
    return object_table(
        [
            row("gaussian", 16, [0.76]),
            row("jt2", 16, [0.70, 0.78, 0.72], q=[0.5, 1.0, 2.0]),
            row("expjt2", 16, [0.80]),
            row("nlin", 16, [0.60, 0.74], n=[2, 8]),
            row("gaussian", 32, [0.9]),
            row("expjt2", 32, [0.8]),
        ]
    )


def test_verdicts(table):
    said = {claim.text: claim for claim in weizmann_claims(table)}
    assert {text: claim.verdict.value for text, claim in said.items()} == {
        "16x16 blocks: the 2-point expJT kernel gives the best performance": "holds",
        "16x16 blocks: jt2 is better than the Gaussian kernel": "holds",
        "16x16 blocks: expjt2 is better than the Gaussian kernel": "holds",
        "16x16 blocks: the 2-point JT and expJT kernels are better than other kernels": "holds",
        "16x16 blocks: JT kernels with q close to 1 (0.75 to 1.25) give the best results among all q": "holds",
        "16x16 blocks: as n increases the n-point linear kernel gives better partitions (6 to 10 points)": "holds",
        "32x32 blocks: the 2-point expJT kernel gives the best performance, or equals it": "does not hold",
        "32x32 blocks: expjt2 is better than the Gaussian kernel": "does not hold",
    }
    q = said["16x16 blocks: JT kernels with q close to 1 (0.75 to 1.25) give the best results among all q"]
    assert q.ours.startswith("q = 1 - q = 2: +0.06")
    assert q.place == "paper 001, Section 5"


def test_files(table):
    text = object_markdown(table, "Toys")
    assert "What the papers say in words" in text
    assert "| expjt2 - jt2: +0.0" in text
    assert len(json.loads(object_json(table, "weizmann-1obj"))["claims"]) == 8
    assert len(weizmann_sentences(table).decode().splitlines()) == 9
    lines = weizmann_cells(table).decode().splitlines()
    assert lines[0] == "experiment,row,column,ours,published"
    assert lines[1].startswith('000-table7,gaussian,"16x16, tuned, spectral",0.7')
    assert lines[1].endswith(",0.76")
    assert lines[2].startswith('000-table7,gaussian,"16x16, fixed, spectral",')
    assert lines[2].endswith(",")


def test_rows_that_are_missing():
    assert weizmann_claims([]) == []
    assert weizmann_claims(object_table([row("gaussian", 16, [0.7])])) == []
    assert "say in words" not in object_markdown(object_table([row("gaussian", 16, [0.7])]), "Toys")
