"""What holds for all tests."""

import pytest

from canasta_core.tables import chance
from tests.discord.chance import seeded


@pytest.fixture(autouse=True)
def _same_cards(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Every run of a test deals the same cards."""
    monkeypatch.setattr(chance, "secrets", seeded(request.node.nodeid))
