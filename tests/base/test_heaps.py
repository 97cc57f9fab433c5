import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from textensor.base.heap_kernels import empty_heaps, merge, offer, ranked


@given(st.lists(st.integers(0, 4), max_size=20), st.integers(1, 6), st.randoms(use_true_random=False))
def test_the_best_stay_whatever_the_order_and_whoever_offers_them(scores, k, random):
    candidates = list(enumerate(map(float, scores)))
    expected = sorted(candidates, key=lambda one: (-one[1], one[0]))[:k]
    random.shuffle(candidates)
    heaps = [empty_heaps((1, k), np.float64, np.int32) for _ in range(2)]
    for place, score in candidates:
        best, places = heaps[random.randrange(2)]
        offer(best[0], places[0], score, place)
    merge(*heaps[0], *heaps[1])
    best, places = ranked(*heaps[0])
    assert list(zip(places[0], best[0], strict=True))[: len(expected)] == expected
    assert (best[0, len(expected) :] == -np.inf).all()
