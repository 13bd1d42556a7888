"""Views for tests of the hand: met in rounds played by chance, or laid out card by card."""

from typing import Any

from canasta_core.cards import Rank, is_wild, rank_name, read_cards
from canasta_core.legality import who_acts
from canasta_core.state import Hand, Meld, MeldKind, Phase, Source, Team
from canasta_core.tables.model import Table
from canasta_core.views import PlayerView, view_of
from cogs.ui.face import Face, face_of
from cogs.ui.hand import hand
from tests.cogs.layouts import check, plain
from tests.cogs.tables import played, table_of

KINGS = "KS KH KD KC"
CANASTA = "KS KH KC KS KH KC KD"


def moments(name: str, rounds: int) -> list[tuple[Table, PlayerView]]:
    """Views of who acts, at every tenth move of rounds played by chance."""
    found = []
    for seed in range(rounds):
        for moves in range(2, 120, 10):
            state, events = played(name, seed=seed, moves=moves)
            if not who_acts(state.public):
                break
            found.append((table_of(state, events), view_of(state, who_acts(state.public)[0])))
    return found


def place(
    cards: str,
    profile: str = "classic",
    *,
    pile: str = "8C 5C",
    own: tuple[str, ...] = (),
    theirs: tuple[str, ...] = (),
    phase: Phase = Phase.DRAW,
    stock: int = 40,
    score: int = 0,
    freezing: int = 0,
    answer: bool | None = None,
    seats: int | None = None,
    **options: object,
) -> tuple[Face, PlayerView]:
    """The turn of one player, with these cards and melds; `answer` is the partners'."""
    state, _ = played(profile, moves=0, seats=seats, **options)
    public = state.public
    seat, team = public.turn, public.rules.team_of(public.turn)
    state.hands[seat] = Hand.of(read_cards(cards))
    public.sizes[seat] = len(state.hands[seat].cards)
    public.pile, public.freezing, public.stock_size = read_cards(pile), freezing, stock
    public.teams = [Team.empty() for _ in public.teams]
    for which, melds in ((team, own), ((team + 1) % public.rules.teams, theirs)):
        for laid in map(read_cards, melds):
            wilds = sum(map(is_wild, laid))
            rank = Rank(laid[0] >> 2)
            public.teams[which].put(Meld(rank_name(rank), MeldKind.SET, rank, tuple(laid), wilds))
    public.phase, public.answer, public.scores[team] = phase, answer, score
    public.drawn = Source.STOCK if phase is Phase.PLAY else None
    return face_of(table_of(state)), view_of(state, seat)


def said_of(face: Face, view: PlayerView, **facts: Any) -> str:
    """What the hand says, without what makes its cards look as they do."""
    return plain(check(hand(face, view, **facts))).replace("\N{NO-BREAK SPACE}", " ").replace("`", "")
