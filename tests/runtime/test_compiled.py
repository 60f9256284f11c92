import numba

from segjt.runtime.compiled import compiled


def add(x, y):
    return x + y


def test_compiles():
    assert compiled(add)(2, 3) == 5


def test_without_a_place_for_the_cache(monkeypatch):
    """In a container whose home cannot be written, numba refuses to cache: then nothing is cached."""
    real = numba.njit

    def no_locator(cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function 'add': no locator available")
        return real(**options)

    monkeypatch.setattr(numba, "njit", no_locator)
    assert compiled(add)(2, 3) == 5
