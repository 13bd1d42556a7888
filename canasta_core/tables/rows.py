"""Tables as rows of a store and back: the texts in the rows are the codec's."""

import json
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Final

from canasta_core.actions import Deal, DrawLots
from canasta_core.codec import (
    decode_action,
    decode_event,
    decode_outline,
    decode_rules,
    decode_state,
    encode_action,
    encode_event,
    encode_rules,
    encode_state,
)
from canasta_core.events import Event
from canasta_core.state import GameState
from canasta_core.tables.glance import Glance, acting
from canasta_core.tables.model import (
    Ended,
    Invite,
    LogEntry,
    Notice,
    NoticeKind,
    Pause,
    Proposal,
    Sitter,
    Stage,
    Table,
    Tenure,
    Wait,
    What,
)
from canasta_core.tables.ports import GlanceRow, LogRow, NoticeRow, TableRow
from canasta_core.tables.tally import Tally

# Most tables have the rules of some other, and what happens stays among the last events for a while. Both are
# frozen, so that what was read once can be given to all.
_rules_text: Final = lru_cache(maxsize=128)(encode_rules)
_read_rules: Final = lru_cache(maxsize=128)(decode_rules)
_event_text: Final = lru_cache(maxsize=4_096)(encode_event)
_read_event: Final = lru_cache(maxsize=4_096)(decode_event)


_TEXTS: Final[OrderedDict[int, tuple[GameState, str]]] = OrderedDict()
"""Texts of the last states by identity, with the state itself, so that no other can have its id meanwhile."""
_TEXTS_KEPT: Final = 512


def _state_text(state: GameState) -> str:
    """A state's text. A state that melds can be taken back to is stored again with each move of the turn."""
    known = _TEXTS.get(id(state))
    if known is not None:
        return known[1]
    text = encode_state(state)
    _TEXTS[id(state)] = (state, text)
    if len(_TEXTS) > _TEXTS_KEPT:
        _TEXTS.popitem(last=False)
    return text


def table_row(table: Table, *, alarm: float | None, ai_turn: bool) -> TableRow:
    """The snapshot of a table; its sitters are rows of their own."""
    return TableRow(
        id=table.id,
        guild_id=table.guild_id,
        channel_id=table.channel_id,
        host_id=table.host_id,
        locale=table.locale,
        profile=table.rules.profile,
        rules=_rules_text(table.rules),
        stage=table.stage,
        version=table.version,
        began=table.began,
        turn_version=table.turn_version,
        state=None if table.state is None else _state_text(table.state),
        recent=events_text(table.recent),
        commitment=table.commitment,
        deadline=table.deadline,
        created_at=table.created_at,
        ended=table.ended,
        ended_version=table.version if table.ended else None,
        clock=table.clock,
        reminder=table.reminder,
        alarm=alarm,
        ai_turn=ai_turn,
        paused="" if table.paused is None else data_text(asdict(table.paused)),
        wait=wait_text(table.wait),
        undo=table.undo,
        before="\n".join(map(_state_text, table.before)),
        proposal="" if table.proposal is None else data_text(asdict(table.proposal)),
        invites="\n".join(data_text(asdict(invite)) for invite in table.invites),
        lost=table.lost,
        away_limit=table.away_limit,
        played=table.played,
        touched_at=table.touched_at,
        duplicate_of=table.duplicate_of,
        packs=packs_text(table.packs),
        tally=json.dumps([[one.turns, one.canastas, one.naturals] for one in table.tally])
        if table.tally
        else "",
    )


def read_table(row: TableRow, tenures: Iterable[Tenure]) -> Table:
    return Table(
        id=row.id,
        guild_id=row.guild_id,
        channel_id=row.channel_id,
        host_id=row.host_id,
        locale=row.locale,
        rules=_read_rules(row.rules),
        stage=Stage(row.stage),
        version=row.version,
        began=row.began,
        turn_version=row.turn_version,
        state=None if row.state is None else decode_state(row.state),
        recent=read_events(row.recent),
        commitment=row.commitment,
        deadline=row.deadline,
        created_at=row.created_at,
        ended=None if row.ended is None else Ended(row.ended),
        clock=row.clock,
        reminder=row.reminder,
        paused=Pause(**json.loads(row.paused)) if row.paused else None,
        wait=_read_wait(row.wait),
        undo=row.undo,
        before=tuple(map(decode_state, row.before.split("\n"))) if row.before else (),
        proposal=_read_proposal(row.proposal),
        invites=_read_invites(row.invites),
        lost=row.lost,
        away_limit=row.away_limit,
        played=row.played,
        touched_at=row.touched_at,
        duplicate_of=row.duplicate_of,
        packs=read_packs(row.packs),
        tally=tuple(Tally(*counts) for counts in json.loads(row.tally)) if row.tally else (),
        sitters=tuple(map(_read_sitter, tenures)),
    )


def read_glance(row: GlanceRow, tenures: Iterable[Tenure]) -> Glance:
    """What a list shows, at a fraction of what the whole table costs."""
    stage = Stage(row.stage)
    outline = None if row.state is None else decode_outline(row.state)
    return Glance(
        id=row.id,
        guild_id=row.guild_id,
        channel_id=row.channel_id,
        host_id=row.host_id,
        locale=row.locale,
        rules=_read_rules(row.rules),
        stage=stage,
        version=row.version,
        sitters=tuple(map(_read_sitter, tenures)),
        acting=acting(stage, outline),
        round_number=0 if outline is None else outline.round_number,
        deadline=row.deadline,
        paused=bool(row.paused),
        invites=_read_invites(row.invites),
        lost=row.lost,
    )


def packs_text(packs: Iterable[DrawLots | Deal]) -> str:
    """Shuffles that are still to come, one a line."""
    return "\n".join(map(encode_action, packs))


def read_packs(text: str) -> tuple[DrawLots | Deal, ...]:
    actions = map(decode_action, text.splitlines())
    return tuple(action for action in actions if isinstance(action, DrawLots | Deal))


def wait_text(wait: Wait) -> str:
    return "" if wait == Wait() else data_text(asdict(wait))


def _read_wait(text: str) -> Wait:
    if not text:
        return Wait()
    fields = json.loads(text)
    # Those of an earlier version lack what came later.
    return Wait(**{**fields, "owed": tuple(fields["owed"]), "asked": tuple(fields["asked"])})


def _read_sitter(tenure: Tenure) -> Sitter:
    return Sitter(
        seat=tenure.seat,
        user_id=tenure.user_id,
        name=tenure.name,
        ai=tenure.ai,
        since=tenure.from_version,
        missed=tenure.missed,
        absent=tenure.absent,
        kept=tenure.kept,
        away_until=tenure.away_until,
        away_used=tenure.away_used,
    )


def _read_invites(text: str) -> tuple[Invite, ...]:
    return tuple(Invite(**json.loads(line)) for line in text.splitlines())


def _read_proposal(text: str) -> Proposal | None:
    if not text:
        return None
    fields = json.loads(text)
    return Proposal(fields["clock"], fields["by"], tuple(fields["agreed"]), fields["version"])


def read_log(row: LogRow) -> LogEntry:
    return LogEntry(
        version=row.version,
        at=row.at,
        what=What(row.what),
        actor=row.actor,
        seat=row.seat,
        action=None if row.action is None else decode_action(row.action),
        events=read_events(row.events),
        detail=json.loads(row.detail),
    )


def read_notice(row: NoticeRow) -> Notice:
    return Notice(row.id, row.table_id, row.version, NoticeKind(row.kind), json.loads(row.data))


def data_text(data: Mapping[str, object]) -> str:
    """Facts as a text that is the same for the same facts."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def events_text(events: Iterable[Event]) -> str:
    """Events one a line: a JSON text has no line breaks."""
    return "\n".join(map(_event_text, events))


def read_events(text: str) -> tuple[Event, ...]:
    return tuple(map(_read_event, text.split("\n"))) if text else ()
