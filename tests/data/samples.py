"""Rows as a store gets them, with texts that mean nothing to it."""

from dataclasses import replace

from canasta_core.tables.model import Person, Tenure
from canasta_core.tables.ports import Commit, LogRow, NoticeRow, ResultRow, RoundRow, TableRow

GUILD = 900_000_000_000_000_001
CHANNEL = 900_000_000_000_000_002
ANN = Person(700_000_000_000_000_001, "Ann")
BEN = Person(700_000_000_000_000_002, "Ben")

NEW = TableRow(
    id=0,
    guild_id=GUILD,
    channel_id=CHANNEL,
    host_id=ANN.user_id,
    locale="en",
    profile="classic",
    rules='{"rules":1}',
    stage="lobby",
    version=1,
    began=0,
    turn_version=0,
    state=None,
    recent="",
    commitment="",
    deadline=None,
    created_at=1000.5,
    ended=None,
    ended_version=None,
    clock=86_400,
    reminder=None,
    alarm=None,
    ai_turn=False,
    paused="",
    wait="",
    undo=True,
    before="",
    proposal="",
    invites="",
    lost="",
    away_limit=1_209_600,
    played=0,
    touched_at=1000.0,
    tally="",
    duplicate_of=None,
    packs="",
)


def log_row(version: int, text: str = "") -> LogRow:
    return LogRow(
        version=version,
        at=1000.0 + version,
        what="move",
        actor=ANN.user_id,
        seat=0,
        action=f"action {version}{text}",
        events=f"events {version}",
        detail="{}",
    )


def tenure(seat: int, person: Person | None, version: int, ai: str = "") -> Tenure:
    name = person.name if person else "Ada"
    return Tenure(seat, person.user_id if person else None, ai, name, version, 1000.0 + version)


def opening(person: Person = ANN, *, guild: int = GUILD, channel: int = CHANNEL) -> Commit:
    """A new table, with one person at seat 0."""
    table = replace(NEW, guild_id=guild, channel_id=channel, host_id=person.user_id)
    return Commit(table=table, before=0, log=(log_row(1),), sat=(tenure(0, person, 1),), people=(person,))


def following(table_id: int, version: int, text: str = "", **columns: object) -> Commit:
    """The change to `version`, with a notice."""
    table = replace(NEW, id=table_id, version=version, stage="playing", state=f"state {version}{text}")
    return Commit(
        table=replace(table, **columns),
        before=version - 1,
        log=(log_row(version, text),),
        notices=(NoticeRow(0, table_id, version, "board", f'{{"n":{version}}}'),),
    )


ROUNDS = tuple(
    RoundRow(
        round_number=1,
        team=team,
        points=points,
        score=points + 5,
        reason="went_out",
        sheet='{"melded":5}',
        finished_at=1003.0,
    )
    for team, points in ((0, 925), (1, -120))
)
RESULTS = tuple(
    ResultRow(
        guild_id=GUILD,
        profile="classic",
        shape="1x1",
        seat=seat,
        team=seat,
        user_id=user_id,
        ai=ai,
        name=name,
        whole=not ai,
        score=score,
        won=seat == 0,
        rounds=7,
        finished_at=1004.0,
    )
    for seat, user_id, ai, name, score in (
        (0, ANN.user_id, "", "Ann", 5020),
        (1, None, "medium", "Ada", 4100),
    )
)
