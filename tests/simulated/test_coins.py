import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdcourse.simulated.coins import Coins


def test_a_coin_is_the_head_of_a_hash_of_seed_digest_and_purpose() -> None:
    head = hashlib.sha256(b"7\x00abc\x00recall vpn").digest()[:8]
    assert Coins(7, "abc").value("recall vpn") == (int.from_bytes(head, "big") >> 11) / 2**53


@given(st.one_of(st.none(), st.integers()), st.text(), st.text())
def test_a_coin_lies_between_zero_and_one_and_never_changes(
    seed: int | None, digest: str, purpose: str
) -> None:
    coins = Coins(seed, digest)
    assert 0.0 <= coins.value(purpose) < 1.0
    assert coins.value(purpose) == Coins(seed, digest).value(purpose)
    assert coins.comes_true(1.0, purpose)
    assert not coins.comes_true(0.0, purpose)


def test_seed_zero_is_a_seed_of_its_own() -> None:
    assert len({Coins(seed, "d").value("p") for seed in (None, 0, 1)}) == 3


def test_coins_come_true_about_as_often_as_they_should() -> None:
    hits = sum(Coins(0, "d").comes_true(0.3, str(n)) for n in range(4000))
    assert hits / 4000 == pytest.approx(0.3, abs=0.03)


def test_every_option_can_be_chosen_and_none_cannot() -> None:
    assert {Coins(0, "d").choose("abc", str(n)) for n in range(100)} == set("abc")
    with pytest.raises(ValueError, match="nothing to choose"):
        Coins(0, "d").choose((), "p")
