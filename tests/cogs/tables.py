"""Tables for tests of layouts: played by chance through the offers, or as full as one can get."""

import random
from dataclasses import replace

from canasta_core.actions import Deal, DrawLots, LayMelds, TakePile
from canasta_core.cards import JOKER, TWO, Card, Rank, card_of, pack_of
from canasta_core.engine import apply
from canasta_core.events import Event, seen_by
from canasta_core.legality import who_acts
from canasta_core.offers import offers
from canasta_core.profiles import load_rules
from canasta_core.state import GameState, Hand, Meld, MeldKind, Phase, Team
from canasta_core.tables.model import Sitter, Stage, Table
from canasta_core.views import view_of

LONGEST_NAME = "*_~`|>#[x](http://a.b)<@!1234567"
"""32 characters, as many of them as can be marked up."""
BIG = 987_654_321_098_765
GUILD, CHANNEL = 7, 8


def played(
    profile: str = "classic",
    seed: int = 1,
    *,
    moves: int | None = None,
    seats: int | None = None,
    **options: object,
) -> tuple[GameState, list[Event]]:
    """A round played by chance, up to its end or for so many moves, and what happened."""
    rng = random.Random(seed)
    rules = load_rules(profile, seats, options)  # type: ignore[arg-type]
    state, events = GameState.new(rules), []
    pack = pack_of(rules.packs, rules.jokers)
    for action in (DrawLots, Deal):
        rng.shuffle(pack)
        places = tuple(rng.randrange(1000) for _ in range(32))
        done = apply(state, None, action(tuple(pack)) if action is DrawLots else Deal(tuple(pack), places))
        state, events = done.state, events + list(done.events)
    while who_acts(state.public) and moves != 0:
        seat = who_acts(state.public)[0]
        legal = offers(view_of(state, seat))
        melds = [action for action in legal if isinstance(action, LayMelds | TakePile)]
        done = apply(state, seat, rng.choice(melds if melds and rng.random() < 0.8 else legal))
        state, events = done.state, events + list(done.events)
        moves = None if moves is None else moves - 1
    return state, events


def table_of(
    state: GameState, events: list[Event] | None = None, *, names: tuple[str, ...] = (), ais: int = 0
) -> Table:
    """A table at which this state is played: people with the ids 100, 101, …, then so many AI players."""
    seats = state.rules.seats
    sitters = []
    for seat in range(seats):
        person = seat < seats - ais
        name = names[seat] if seat < len(names) else ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn")[seat]
        sitters.append(Sitter(seat, 100 + seat if person else None, name, "" if person else "medium"))
    over = state.public.phase is Phase.GAME_OVER
    return Table(
        id=12,
        guild_id=GUILD,
        channel_id=CHANNEL,
        host_id=100,
        rules=state.rules,
        stage=Stage.ENDED if over else Stage.PLAYING,
        version=57,
        state=state,
        sitters=tuple(sitters),
        deadline=None,
        created_at=0.0,
        recent=tuple(seen_by(event, None) for event in (events or [])[-8:]),
    )


def fullest(profile: str, seats: int, phase: Phase) -> Table:
    """All melds on the table, forty cards in each hand, the longest names, the largest numbers."""
    state, events = played(profile, seats=seats, moves=40)
    public = state.public
    public.phase, public.turn, public.round_number = phase, 0, 999
    public.scores = [-123_455] * public.rules.teams
    public.teams = [_full_team() for _ in range(public.rules.teams)]
    hand = [*[card_of(rank, suit) for rank in range(14, 3, -1) for suit in range(4)][:36], JOKER, JOKER]
    hand += [card_of(TWO, 0), card_of(TWO, 1)]
    state.hands = [Hand.of(list(hand)) for _ in range(seats)]
    public.sizes = [len(hand)] * seats
    public.pile = [card_of(13, 1)] * 90
    public.pending = tuple(public.rules.partners_of(0)) if phase is Phase.PERMISSION else ()
    if phase is Phase.PLAY:
        public.drawn = "stock"  # type: ignore[assignment]
    table = table_of(state, events, names=(LONGEST_NAME,) * seats)
    return replace(table, id=BIG, guild_id=BIG, channel_id=BIG, version=999_999)


def _full_team() -> Team:
    team = Team.empty()
    for rank in range(14, 3, -1):
        cards = tuple(card_of(rank, suit) for suit in range(4)) * 2 + (JOKER,) * 3
        team.put(Meld("..23456789TJQKA"[rank], MeldKind.SET, Rank(rank), cards, 3))
    team.red_threes = [Card(13), Card(14)] * 2
    return team
