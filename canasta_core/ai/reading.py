"""What a seat can tell from the table: who is near the end, what is still unseen, what lies there."""

from canasta_core.actions import LayMelds, TakePile
from canasta_core.cards import JOKER_RANK, RANKS, THREE, TWO, Card
from canasta_core.legality import Plan, judge
from canasta_core.melds import lay
from canasta_core.rules import Rules
from canasta_core.scoring import canasta_bonuses, red_three_points
from canasta_core.state import Hand, MeldKind, PublicState, Team
from canasta_core.views import PlayerView

_FEW = 3
"""Cards in the hand of a rival who may go out at any turn."""


class Reading:
    """A view, and what follows from it. Made anew for every decision."""

    __slots__ = (
        "hand",
        "hidden",
        "last",
        "own",
        "partners",
        "pressed",
        "public",
        "rival_teams",
        "rivals",
        "rules",
        "short",
        "unseen",
        "view",
    )

    def __init__(self, view: PlayerView) -> None:
        public = view.public
        rules = public.rules
        self.view = view
        self.public: PublicState = public
        self.rules: Rules = rules
        self.own: Team = view.own
        self.hand: Hand = view.hand
        self.partners: tuple[int, ...] = rules.partners_of(view.seat)
        self.rivals: tuple[int, ...] = tuple(
            seat for seat in range(rules.seats) if seat % rules.teams != view.team
        )
        self.rival_teams: tuple[Team, ...] = tuple(
            team for number, team in enumerate(public.teams) if number != view.team
        )
        self.short: int = max(0, rules.canastas_to_go_out - view.own.canastas)
        """Canastas that the own team lacks to go out."""
        self.last: bool = public.stock_size <= rules.seats * rules.draw
        """The stock may be gone before the seat's next turn."""
        self.pressed: bool = self.last or any(
            public.sizes[seat] <= _FEW
            and public.teams[seat % rules.teams].canastas >= rules.canastas_to_go_out
            for seat in self.rivals
        )
        """The round may end before the seat's next turn: what is held should lie on the table."""
        self.hidden: int = public.stock_size + sum(public.sizes) - len(view.hand.cards)
        """Cards the seat cannot see."""
        self.unseen: list[int] = _unseen(view)
        """Cards of each rank that the seat cannot see; indexed by rank."""

    @property
    def wilds(self) -> int:
        """Wilds in the own hand."""
        return self.hand.counts[TWO] + self.hand.counts[JOKER_RANK]

    @property
    def unseen_wilds(self) -> int:
        return self.unseen[TWO] + self.unseen[JOKER_RANK]

    def points(self, cards: list[Card]) -> int:
        """What cards count (R1.2)."""
        values = self.rules.values
        return sum(values[card >> 2] for card in cards)

    def lying(self, number: int) -> int:
        """Points that lie before a team now: cards, canastas and red threes."""
        return _lying(self.rules, self.public.teams[number])

    def lying_after(self, action: LayMelds | TakePile) -> int:
        """Points that lie before the own team after a legal action."""
        after = self.own.copy()
        plan = judge(self.view, action)
        if isinstance(plan, Plan):
            for laying in plan.layings:
                lay(after, laying)
        return _lying(self.rules, after)

    def overshoots(self, action: LayMelds | TakePile) -> bool:
        """Whether an action carries the team past a target that must be hit exactly (R2.1)."""
        if not self.rules.exact_target:
            return False
        return self.public.scores[self.view.team] + self.lying_after(action) > self.rules.target


def _lying(rules: Rules, team: Team) -> int:
    """Points that lie before a team: cards, canastas and red threes."""
    cards = sum(rules.values[card >> 2] for meld in team.melds for card in meld.cards)
    return cards + sum(canasta_bonuses(rules, team)) + red_three_points(rules, team)


def set_size(team: Team, rank: int) -> int:
    """Cards of the team's set of a rank; 0 where there is none."""
    index = team.sets[rank]
    return len(team.melds[index].cards) if index >= 0 else 0


def growing(team: Team) -> list[int]:
    """Sizes of the sets that are no canasta yet."""
    return [
        len(meld.cards)
        for meld in team.melds
        if meld.kind is MeldKind.SET and meld.rank != THREE and not meld.is_canasta
    ]


def _unseen(view: PlayerView) -> list[int]:
    public, rules = view.public, view.public.rules
    unseen = [0, 0, *[4 * rules.packs] * (RANKS - 2)]
    unseen[JOKER_RANK] = rules.jokers
    for rank, held in enumerate(view.hand.counts):
        unseen[rank] -= held
    for card in public.pile:
        unseen[card >> 2] -= 1
    for team in public.teams:
        for card in team.red_threes:
            unseen[card >> 2] -= 1
        for meld in team.melds:
            if meld.kind is MeldKind.RUN:
                for card in meld.cards:
                    unseen[card >> 2] -= 1
                continue
            unseen[meld.rank] -= len(meld.cards) - meld.wilds
            if meld.wilds:
                jokers = sum(card >> 2 == JOKER_RANK for card in meld.cards)
                unseen[JOKER_RANK] -= jokers
                unseen[TWO] -= meld.wilds - jokers
    return unseen
