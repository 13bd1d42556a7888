"""Tables as rows of a store and back: the texts in the rows are the codec's."""

import json
from collections.abc import Iterable, Mapping

from canasta_core.codec import (
    decode_action,
    decode_event,
    decode_rules,
    decode_state,
    encode_event,
    encode_rules,
    encode_state,
)
from canasta_core.events import Event
from canasta_core.tables.model import Ended, LogEntry, Notice, NoticeKind, Sitter, Stage, Table, Tenure, What
from canasta_core.tables.ports import LogRow, NoticeRow, TableRow


def table_row(table: Table) -> TableRow:
    """The snapshot of a table; its sitters are rows of their own."""
    return TableRow(
        id=table.id,
        guild_id=table.guild_id,
        channel_id=table.channel_id,
        host_id=table.host_id,
        locale=table.locale,
        profile=table.rules.profile,
        rules=encode_rules(table.rules),
        stage=table.stage,
        version=table.version,
        began=table.began,
        turn_version=table.turn_version,
        state=None if table.state is None else encode_state(table.state),
        recent=events_text(table.recent),
        commitment=table.commitment,
        deadline=table.deadline,
        created_at=table.created_at,
        ended=table.ended,
        ended_version=table.version if table.ended else None,
    )


def read_table(row: TableRow, tenures: Iterable[Tenure]) -> Table:
    return Table(
        id=row.id,
        guild_id=row.guild_id,
        channel_id=row.channel_id,
        host_id=row.host_id,
        locale=row.locale,
        rules=decode_rules(row.rules),
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
        sitters=tuple(
            Sitter(tenure.seat, tenure.user_id, tenure.name, tenure.ai, tenure.from_version)
            for tenure in tenures
        ),
    )


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
    return "\n".join(map(encode_event, events))


def read_events(text: str) -> tuple[Event, ...]:
    return tuple(map(decode_event, text.split("\n"))) if text else ()
