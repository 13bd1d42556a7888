"""What everybody may see of a table: all that a public message is made from."""

from dataclasses import dataclass

from canasta_core.events import Event, seen_by
from canasta_core.rules import Rules
from canasta_core.state import Phase, PublicState
from canasta_core.tables.model import Ended, Invite, Pause, Proposal, Sitter, Stage, Table, is_former
from cogs.ui.layout import Click, name_text
from cogs.ui.text import text


@dataclass(frozen=True, slots=True)
class Face:
    """A table without its hidden cards, put together by adding."""

    id: int
    version: int
    locale: str
    rules: Rules
    stage: Stage
    public: PublicState | None
    sitters: tuple[Sitter, ...]
    host_id: int
    recent: tuple[Event, ...]
    deadline: float | None
    ended: Ended | None
    clock: int | None = None
    paused: Pause | None = None
    rests: bool = False
    owed: tuple[int, ...] = ()
    """Seats of persons for whom an AI player finishes the running turn, or answers."""
    proposal: Proposal | None = None
    invites: tuple[Invite, ...] = ()
    lost: str = ""
    undo: bool = False
    """Whether melds can be taken back at this table at all."""
    undoable: int = 0
    """How often the player in turn can take back what was laid."""
    at: float = 0.0
    """When the table last changed: the time for which it is shown."""
    commitment: str = ""
    """The promise that binds the running round's shuffle; public from its start."""
    duplicate_of: int | None = None
    """The table whose packs are dealt again here."""

    def click(self, verb: str, arg: str = "") -> Click:
        """The custom id of a control of this table as it is now."""
        return Click(verb, self.id, self.version, arg)

    def words(self, key: str, **facts: int | str) -> str:
        """A sentence in the table's language."""
        return text(self.locale, key, **facts)

    def name(self, seat: int) -> str:
        """Who sits there, as public text."""
        sitter = self.sitter(seat)
        if sitter is None:
            return self.words("sitter-free", seat=seat + 1)
        return sitter_name(self.locale, sitter)

    def sitter(self, seat: int) -> Sitter | None:
        """Who sits there, if anybody."""
        return next((sitter for sitter in self.sitters if sitter.seat == seat), None)

    def person(self, user_id: int) -> str:
        """Somebody who sits here or did something to the table, as public text."""
        for sitter in self.sitters:
            if sitter.user_id == user_id:
                return person_name(self.locale, user_id, sitter.name)
        return text(self.locale, "former-player") if is_former(user_id) else f"<@{user_id}>"

    def is_away(self, sitter: Sitter) -> bool:
        """Whether they have said that they are away, and it is not over."""
        return sitter.away_until is not None and sitter.away_until > self.at

    def invited(self, seat: int) -> Invite | None:
        """Who may take the seat of the AI player there, if anybody."""
        return next((invite for invite in self.invites if invite.seat == seat), None)

    def team_name(self, team: int) -> str:
        """The names of a team, by seat."""
        return self.words("team-and").join(self.name(seat) for seat in self.rules.seats_of(team))

    def letter(self, team: int) -> str:
        """What a team is called for short: A, B, C."""
        return chr(ord("A") + team)

    def team_short(self, team: int) -> str:
        """`Team A`; who plays alone has a name."""
        if not self.rules.has_partners:
            return self.name(team)
        return self.words("team-short", letter=self.letter(team))

    def team_title(self, team: int) -> str:
        """A team with its letter and names; somebody who plays alone needs no letter."""
        if not self.rules.has_partners:
            return self.name(team)
        return self.words("team-title", team=self.team_short(team), names=self.team_name(team))

    def seat_title(self, seat: int) -> str:
        """Who sits there, with the letter of the team, so that nobody must count seats to see it."""
        if not self.rules.has_partners:
            return self.name(seat)
        letter = self.letter(self.rules.team_of(seat))
        return self.words("seat-title", letter=letter, name=self.name(seat))

    @property
    def phase(self) -> Phase:
        return self.public.phase if self.public is not None else Phase.DEAL


def sitter_name(locale: str, sitter: Sitter) -> str:
    """Who moves at a seat, as public text: one that an AI player keeps is moved by it, whosever it is."""
    name = person_name(locale, sitter.user_id, sitter.name)
    return text(locale, "sitter-person" if sitter.is_active else "sitter-ai", name=name)


def person_name(locale: str, user_id: int | None, name: str) -> str:
    """A name as public text; who was forgotten has none."""
    return text(locale, "former-player") if is_former(user_id) else name_text(name)


def face_of(table: Table) -> Face:
    """The public face of a table."""
    return Face(
        id=table.id,
        version=table.version,
        locale=table.locale,
        rules=table.rules,
        stage=table.stage,
        public=table.state.public if table.state is not None else None,
        sitters=table.sitters,
        host_id=table.host_id,
        recent=tuple(seen_by(event, None) for event in table.recent),
        deadline=table.deadline,
        ended=table.ended,
        clock=table.clock,
        paused=table.paused,
        rests=table.rests,
        owed=table.wait.owed,
        proposal=table.proposal,
        invites=table.invites,
        lost=table.lost,
        undo=table.undo,
        undoable=len(table.before) if table.undo else 0,
        at=table.touched_at,
        commitment=table.commitment,
        duplicate_of=table.duplicate_of,
    )
