"""What a hand says in words: the cards, the table around them, what the player may do now, and why not."""

from canasta_core.cards import Card, rank_name
from canasta_core.legality import is_blocking, must_take, who_acts
from canasta_core.refusals import Code
from canasta_core.rules import Exhausted, TakeWay
from canasta_core.state import Phase
from canasta_core.tables.model import Stage
from canasta_core.views import PlayerView
from cogs.ui.board import ended_text
from cogs.ui.cards_text import hand_text, melds_text, points, shown
from cogs.ui.choices import most_with_upcard, takes, why_no_take
from cogs.ui.face import Face
from cogs.ui.refusals_text import noun, reason_text
from cogs.ui.times import in_how_long, when


def cards_held(face: Face, view: PlayerView) -> str:
    """The cards of the hand, how many they are, and what they cost at the end."""
    cards = view.hand.cards
    if not cards:
        return face.words("hand-empty")
    return face.words(
        "hand-cards",
        cards=hand_text(cards),
        count=len(cards),
        points=points(face.rules, cards),
        players=_players(face, view),
    )


def table_lines(face: Face, view: PlayerView) -> list[str]:
    """What lies on the table, as far as a player needs it to decide; nothing between two rounds."""
    public = view.public
    if not who_acts(public):
        return []
    players = _players(face, view)
    upcard = public.upcard
    if upcard is None:
        pile = [face.words("hand-pile-empty")]
    else:
        pile = [face.words("hand-pile", count=len(public.pile), card=shown([upcard]))]
        if is_blocking(upcard):
            pile.append(face.words("hand-pile-blocked"))
        if public.frozen:
            pile.append(face.words("hand-pile-frozen"))
        elif public.frozen_for(view.team):
            pile.append(face.words("hand-pile-frozen-own", players=players))
    pile.append(face.words("hand-stock", count=public.stock_size))
    melds = melds_text(face.locale, view.own.melds)
    laid = (
        face.words("hand-melds", players=players) if melds else face.words("hand-no-melds", players=players)
    )
    return [" · ".join(pile), " ".join([laid, *melds[:1]]), *melds[1:]]


def situation(face: Face, view: PlayerView, *, melds: bool) -> str:
    """What the player may do now, or whom all wait for; `melds` says whether there are any to lay."""
    if face.stage is Stage.ENDED and view.public.phase is not Phase.GAME_OVER:
        return ended_text(face)
    if face.paused is not None:
        until = face.paused.until
        return face.words("hand-paused", when=when(until), left=in_how_long(until))
    public = view.public
    acting = view.seat in who_acts(public)
    match public.phase:
        case Phase.ROUND_OVER | Phase.DEAL:
            return face.words("hand-round-over")
        case Phase.GAME_OVER:
            return face.words("hand-game-over")
        case Phase.PERMISSION if acting:
            return face.words("hand-asked", name=face.name(public.turn))
        case Phase.PERMISSION if view.seat == public.turn:
            return face.words("hand-wait-answer", names=_asked(face, public.pending))
        case Phase.PERMISSION:
            return face.words("hand-wait-answers", name=face.name(public.turn))
        case Phase.DRAW | Phase.PLAY if not acting:
            return face.words("hand-wait", name=face.name(public.turn))
        case Phase.DRAW:
            lines = [_to_draw(face, view)]
        case _:
            key = "hand-your-play-end" if public.no_discard else "hand-your-play"
            lines = [face.words(key if melds else f"{key}-only")]
    if public.answer is not None:
        key = "hand-must-go-out" if public.answer else "hand-may-not-go-out"
        lines.append(face.words(key, partners=len(face.rules.partners_of(view.seat))))
    minimum = public.minimum(view.team)
    if not public.teams[view.team].opened and minimum:
        lines.append(face.words("hand-opening", minimum=minimum, players=_players(face, view)))
    return "\n".join(lines)


def presence(face: Face, view: PlayerView) -> list[str]:
    """Until when the player may think, and what is said of them when they are away."""
    sitter = face.sitter(view.seat)
    if sitter is None or face.stage is not Stage.PLAYING:
        return []
    lines = []
    acting = view.seat in who_acts(view.public)
    if acting and view.seat in face.owed:
        lines.append(face.words("hand-owed"))
    elif acting and face.deadline is not None and sitter.is_active:
        key = "hand-deadline-answer" if view.public.phase is Phase.PERMISSION else "hand-deadline"
        lines.append(face.words(key, when=when(face.deadline), left=in_how_long(face.deadline)))
    if sitter.absent:
        lines.append(face.words("hand-kept"))
    elif sitter.away_until is not None and face.is_away(sitter):
        lines.append(face.words("hand-away", when=when(sitter.away_until)))
    return lines


def _to_draw(face: Face, view: PlayerView) -> str:
    """What begins a turn: only what this hand can do (R4, R8)."""
    public, how = view.public, face.rules.exhausted
    if takes(view):
        if must_take(view) and public.upcard is not None:
            return face.words("hand-your-must-take", card=shown([public.upcard]))
        return face.words("hand-your-draw" if public.stock_size else f"hand-your-exhausted-{how}")
    if public.stock_size:
        line = face.words("hand-your-draw-only")
    else:
        line = face.words("hand-your-last-draw" if how is Exhausted.DRAW_ENDS else "hand-your-leave")
    return face.words("hand-why", line=line, why=no_take_text(face, view))


def no_take_text(face: Face, view: PlayerView) -> str:
    """Why the pile cannot be taken, said from the hand; empty when it can be (R4.3 to R4.7)."""
    refusal, upcard = why_no_take(view), view.public.upcard
    if refusal is None:
        return ""
    if upcard is None:
        return reason_text(face, refusal, view)
    card = shown([upcard])
    match refusal.code:
        case Code.PILE_BLOCKED:
            return face.words("hand-blocked", card=card)
        case Code.PILE_FROZEN | Code.UPCARD_NOT_MELDED | Code.NEEDS_NATURAL:
            return _cards_needed(face, view, upcard)
        case Code.OPENING_MINIMUM:
            return face.words(
                "hand-needs-points",
                card=card,
                most=most_with_upcard(view),
                players=_players(face, view),
            )
        case _:
            return reason_text(face, refusal, view)


def _cards_needed(face: Face, view: PlayerView, upcard: Card) -> str:
    """The cards that would take the upcard under the rules of this table, and how many of them are held."""
    public, rules, rank = view.public, face.rules, upcard >> 2
    if public.frozen_for(view.team):
        key = "hand-needs-frozen"
    elif view.own.sets[rank] >= 0:
        key = "hand-needs-one"
    elif rules.take is TakeWay.PAIR_OR_MELD or rules.max_wilds == 0:
        key = "hand-needs-pair"
    else:
        key = "hand-needs-pair-or-wild"
    return face.words(
        key,
        card=shown([upcard]),
        rank=noun(face.locale, rank_name(rank), 1),
        ranks=noun(face.locale, rank_name(rank), 2),
        held=view.hand.counts[rank],
    )


def _asked(face: Face, seats: tuple[int, ...]) -> str:
    return face.words("team-and").join(map(face.name, seats))


def _players(face: Face, view: PlayerView) -> int:
    """How many play together with this seat, itself counted."""
    return len(face.rules.seats_of(view.team))
