import json

from segjt.evaluation.unit_of_work import Unit, combinations


def test_keys_do_not_depend_on_the_order_of_names():
    one = Unit("segjt", {"q": 1.0, "kernel": "jt2"}, ({"bins": [2, 4], "power": [4]},))
    other = Unit("segjt", {"kernel": "jt2", "q": 1.0}, ({"power": [4], "bins": [2, 4]},))
    assert one.key() == other.key()
    assert one.settings() == other.settings() == [json.loads(json.dumps(setting)) for setting in one.settings()]
    assert one.key() != Unit("segjt", {"q": 1.0, "kernel": "jt2"}, ({"bins": [4, 2], "power": [4]},)).key()
    assert list(combinations({})) == [{}]
