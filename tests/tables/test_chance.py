"""The shuffle is bound before the first move, and anybody can check it afterwards."""

import hashlib
import subprocess
from collections import Counter

from canasta_core.actions import Deal, DrawLots, write_action
from canasta_core.cards import pack_of
from canasta_core.fairness import commitment
from canasta_core.tables.chance import SystemChance
from canasta_core.tables.model import What
from canasta_core.tables.service import TableService
from tests.tables.tools import four_at_table


def test_the_commitment_can_be_recomputed_with_common_tools() -> None:
    deal = Deal(tuple(pack_of(2, 4)), (7, 11))
    text = f"c0ffee {write_action(deal)}"
    assert text.startswith("c0ffee deal 2S 2H 2D 2C 3S")
    assert text.endswith(" JK | 7 11")
    done = subprocess.run(["sha256sum"], input=text.encode(), capture_output=True, check=True)
    assert done.stdout.split()[0].decode() == commitment("c0ffee", deal)


def test_the_commitment_depends_on_salt_order_and_places() -> None:
    pack = tuple(pack_of(2, 4))
    texts = [
        commitment("a", Deal(pack)),
        commitment("b", Deal(pack)),
        commitment("a", Deal(pack[::-1])),
        commitment("a", Deal(pack, (1,))),
        commitment("a", DrawLots(pack)),
    ]
    assert len(set(texts)) == len(texts)


async def test_lots_and_deals_are_logged_with_salt_and_commitment(service: TableService) -> None:
    table = await four_at_table(service)
    lots, deal = (await service.log(table.id))[-2:]
    assert (lots.what, deal.what) == (What.LOTS, What.DEAL)
    for entry in (lots, deal):
        assert isinstance(entry.action, DrawLots | Deal)
        text = f"{entry.detail['salt']} {write_action(entry.action)}"
        assert entry.detail["commitment"] == hashlib.sha256(text.encode()).hexdigest()
    assert lots.detail["salt"] != deal.detail["salt"]
    assert table.commitment == deal.detail["commitment"]


def test_the_systems_chance_shuffles_evenly() -> None:
    """Each of five cards comes first, and last, about equally often (5 standard deviations)."""
    chance = SystemChance()
    pack = pack_of(1, 0)[:5]
    shuffles = [chance.shuffled(pack) for _ in range(5000)]
    assert all(sorted(each) == pack for each in shuffles)
    for place in (0, 4):
        counts = Counter(each[place] for each in shuffles)
        assert all(abs(counts[card] - 1000) < 5 * (5000 * 0.2 * 0.8) ** 0.5 for card in pack), counts
    assert len({chance.salt() for _ in range(100)}) == 100
    assert all(0 <= number < 2**32 for number in chance.numbers(50))
    assert chance.rng().random() != chance.rng().random()
