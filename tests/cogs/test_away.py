"""`/away`, `/back` and *I am back*: what they do to clocks and seats, and what everybody can read of it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from canasta_core.legality import who_acts
from canasta_core.state import Phase
from canasta_core.tables.model import DAY, Person, Table
from cogs.dates import date_text, date_value, offers, read_until
from cogs.desk import DeskError
from tests.cogs.players import enabled, open_table, said, table_of, who_of
from tests.discord.harness import Game, buttons_of, playing, text_of

NOW = datetime(2026, 6, 3, 14, 30, tzinfo=UTC)
"""A Wednesday."""


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("3", "2026-06-06 14:30"),
        ("3d", "2026-06-06 14:30"),
        ("for 2 days", "2026-06-05 14:30"),
        ("a week", "2026-06-10 14:30"),
        ("2 weeks", "2026-06-17 14:30"),
        ("12 hours", "2026-06-04 02:30"),
        ("12h", "2026-06-04 02:30"),
        ("30 hours", "2026-06-04 20:30"),
        ("today 18:00", "2026-06-03 18:00"),
        ("tonight at 11pm", "2026-06-03 23:00"),
        ("18:00", "2026-06-03 18:00"),
        ("sat 18:00", "2026-06-06 18:00"),
        ("until 9am", "2026-06-04 09:00"),
        ("29.2.2028", "2028-02-29 09:00"),
        ("31.12.9999", "9999-12-31 09:00"),
        ("tomorrow", "2026-06-04 09:00"),
        ("Tomorrow 18:00", "2026-06-04 18:00"),
        ("until Friday", "2026-06-05 09:00"),
        ("fri", "2026-06-05 09:00"),
        ("next wednesday", "2026-06-10 09:00"),
        ("on Monday at 6pm", "2026-06-08 18:00"),
        ("2026-06-20", "2026-06-20 09:00"),
        ("2026-06-20 18:15", "2026-06-20 18:15"),
        ("2026-06-20T18:15", "2026-06-20 18:15"),
        ("20.6.", "2026-06-20 09:00"),
        ("20.06.2026", "2026-06-20 09:00"),
        ("20/6", "2026-06-20 09:00"),
        ("6/7", "2026-07-06 09:00"),
        ("20 June", "2026-06-20 09:00"),
        ("20th of june 2026, 7:05", "2026-06-20 07:05"),
        ("June 20", "2026-06-20 09:00"),
        ("jun 20th", "2026-06-20 09:00"),
        ("1 feb", "2027-02-01 09:00"),
        ("  FRIDAY  ", "2026-06-05 09:00"),
    ],
)
def test_dates_as_people_type_them(typed: str, meant: str) -> None:
    assert date_value(read_until(typed, NOW, "en")) == meant


def test_the_order_of_day_and_month_is_that_of_the_country() -> None:
    assert date_value(read_until("6/7", NOW, "en-US")) == "2026-06-07 09:00"
    assert date_value(read_until("20/6", NOW, "en-US")) == "2026-06-20 09:00"


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "soon",
        "31 february",
        "31/02",
        "29 feb",
        "today 25:00",
        "10000-01-01",
        "25:00",
        "tomorrow 7:61",
        "13pm",
        "j 5",
        "the",
        "9999",
        "2026-13-01",
        "x" * 6000,
    ],
)
def test_what_is_no_date_is_said_to_be_none(typed: str) -> None:
    with pytest.raises(DeskError) as refused:
        read_until(typed, NOW, "en")
    assert refused.value.code == "bad_date"


def test_hours_are_hours_and_days_days_where_the_clock_is_put_forward() -> None:
    evening = datetime(2026, 3, 28, 23, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    assert date_value(read_until("8 hours", evening, "en")) == "2026-03-29 08:30"
    assert date_value(read_until("1 day", evening, "en")) == "2026-03-29 23:30"


def test_offered_dates_are_in_the_zone_of_the_person_and_read_back() -> None:
    here = NOW.astimezone(ZoneInfo("Pacific/Auckland"))
    for at in offers(here):
        assert at > here
        assert read_until(date_value(at), here, "en") == at
    assert date_text(offers(here)[0], "en") == "Friday 5 June, 09:00"


async def turn_of(game: Game, table_id: int = 1) -> int:
    """Number of the member whose turn it is."""
    table = await table_of(game, table_id)
    assert table.state is not None
    return who_of(game, table, table.state.public.turn)


async def test_who_is_away_is_not_hurried_and_the_others_see_it(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        table = await open_table(game)
        who = await turn_of(game)
        answer = said(await game.slash(who, "away", until="3 days"))
        assert "You are away until" in answer
        assert "it is your turn, and your clock waits" in answer
        assert "Of the 14 days that this table grants, you have 11 days left." in answer
        board = text_of(game.board("Canasta · table"))
        assert "away until <t:" in board
        assert "is away: the clock waits" in board
        assert "You are away until" in said(await game.slash(who, "hand"))

        await game.advance(2 * DAY)
        waiting = await table_of(game)
        assert waiting.played == table.played, "nobody moved for them"
        await game.advance(DAY + 60)
        assert "has until <t:" in text_of(game.board("Canasta · table"))
        assert "away until" not in text_of(game.board("Canasta · table"))
        assert [m for m in game.messages() if game.members[who].mention in text_of(m)], "pinged when back"
        # What is used up is counted, and what is asked for too much is refused with what is left.
        assert "you have 11 days left" in said(await game.slash(who, "away", until="12"))


async def test_a_move_while_away_counts_and_leaves_one_away(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        who = await turn_of(game)
        await game.slash(who, "away", until="3")
        answer = said(await game.slash(who, "draw"))
        assert "You drew" in answer
        assert "You are away until" in answer
        assert "I am back" in enabled((await game.slash(who, "hand")).response)
        shown = await game.slash(who, "back")
        assert "Welcome back" in said(shown)
        assert "You are away" not in said(shown)
        assert "away" not in text_of(game.board("Canasta · table"))


async def test_somebody_elses_away_does_not_make_an_open_hand_stale(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=4) as game:
        await open_table(game)
        who = await turn_of(game)
        hands = [(await game.click(who, label="My hand")).response for _ in range(2)]
        before = await table_of(game)
        await game.slash((who + 1) % 4, "away", until="2")
        assert (await table_of(game)).version > before.version
        results = await game.at_once([game.click(who, label="Draw", message=one) for one in hands])
        assert sum("You drew" in said(one) for one in results) == 1
        assert sum("already moved on" in said(one) for one in results) == 1
        table = await table_of(game)
        assert table.state is not None
        assert table.state.public.phase is Phase.PLAY


async def test_away_counts_for_all_tables_of_the_server_or_for_one(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=2) as game:
        service = game.bot.service  # type: ignore[attr-defined]
        assert "You sit at no table" in said(await game.slash(0, "away", until="3"))
        ann = Person(game.members[0].id, "Ann")
        for _ in range(3):
            made = await service.create(game.guild.id, game.channel.id, ann, "classic", clock=None)
            if made.id == 1:
                assert "No game of yours is running" in said(await game.slash(0, "away", until="3"))
            if made.id < 3:
                await service.begin(made.id, ann)
        await game.slash(0, "away", until="10 days", table="1")
        assert away_tables(await service.tables_of(ann.user_id), ann.user_id) == [1]
        await game.advance(10 * DAY + 60)
        answer = said(await game.slash(0, "away", until="8 days"))
        lines = {line.split("]")[0][-7:]: line for line in answer.split("\n") if line.startswith("• ")}
        assert set(lines) == {"table 1", "table 2"}
        assert "you have 4 days left" in lines["table 1"]
        assert "longer than" in lines["table 1"]
        assert "you have 6 days left" in lines["table 2"]
        assert away_tables(await service.tables_of(ann.user_id), ann.user_id) == [2]
        await game.slash(0, "away", until="1 day", table="1")
        answer = said(await game.slash(0, "back"))
        assert answer.count("you are back") == 2
        assert not away_tables(await service.tables_of(ann.user_id), ann.user_id)
        assert "You are there already" in said(await game.slash(0, "back"))
        assert "I cannot read “soon” as a date" in said(await game.slash(0, "away", until="soon"))
        assert "has passed" in said(await game.slash(0, "away", until="2020-01-01", table="1"))
        assert "do not sit" in said(await game.slash(1, "away", until="3", table="1"))


async def test_who_is_away_from_a_lobby_comes_back_to_it(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=1) as game:
        await game.slash(0, "canasta new")
        assert "your clock waits" in said(await game.slash(0, "away", until="3", table="1"))
        assert "Welcome back! The game at table 1" in said(await game.slash(0, "back", table="1"))
        assert (await table_of(game)).sitters[0].away_until is None


def away_tables(tables: list[Table], user_id: int) -> list[int]:
    return [
        table.id
        for table in tables
        for sitter in table.sitters
        if sitter.user_id == user_id and sitter.away_until is not None
    ]


async def until_kept(game: Game, who: int, hours: int = 24 * 40) -> Table:
    """Let clocks run until an AI player keeps this person's seat; the others move by themselves or not."""

    async def kept() -> bool:
        table = await table_of(game)
        return any(one.user_id == game.members[who].id and one.absent for one in table.sitters)

    await game.until(kept, hours * 3600)
    return await table_of(game)


async def test_i_am_back_takes_up_a_seat_that_an_ai_keeps(tmp_path: Path) -> None:
    """One person and three AI players: the clock runs out three times, and the game rests."""
    async with playing(tmp_path / "c.db", members=2, ai_delay=1.0) as game:
        await open_table(game, 1)
        await until_kept(game, 0)
        await game.advance(60)
        board = game.board("Canasta · table")
        assert re.search(r"Ann \(AI\)\*\* · .* · an AI keeps the seat", text_of(board))
        assert "Nobody is here, so the game rests" in text_of(board)
        version = (await table_of(game)).played
        await game.advance(3 * DAY)
        assert (await table_of(game)).played == version, "AI players rest as well"
        assert "do not sit" in said(await game.click(1, label="I am back", message=board))
        shown = await game.click(0, label="My hand", message=board)
        assert "An AI keeps your seat" in said(shown)
        assert (await table_of(game)).rests, "to look is not to be back"
        shown = await game.click(0, label="I am back", message=board)
        assert "Welcome back" in said(shown)
        table = await table_of(game)
        assert not table.rests
        assert table.sitters[0].kept
        assert "You are there already" in said(await game.press(0, board, "cn:back:1:1"))
        assert "Ann (AI)" not in text_of(game.board("Canasta · table")).split("⏳")[0]


async def test_a_move_in_turn_takes_up_the_seat_and_one_out_of_turn_tells_how(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=3, ai_delay=300.0) as game:
        await open_table(game, 2)
        ann = game.members[0].id

        async def away_in_turn(mine: bool) -> bool:
            table = await table_of(game)
            return (
                table.state is not None
                and (table.seat_of(ann) in who_acts(table.state.public)) is mine
                and table.sitters[0].absent
                and table.sitters[1].is_active
            )

        async def bob_plays(mine: bool) -> None:
            """Bob moves whenever it is his turn, so that only Ann misses hers."""

            async def bob_or_there() -> bool:
                state = (await table_of(game)).state
                assert state is not None
                return 1 in who_acts(state.public) or await away_in_turn(mine)

            for _ in range(100):
                await game.until(bob_or_there, 2 * DAY)
                if await away_in_turn(mine):
                    return
                state = (await table_of(game)).state
                assert state is not None
                if state.public.phase is Phase.DRAW:
                    await game.slash(1, "draw")
                else:
                    offered = await game.autocomplete(1, "discard", "card", "")
                    await game.slash(1, "discard", card=offered[0]["value"])
            raise AssertionError(game.screen(0))

        await bob_plays(mine=False)
        refused = await game.slash(0, "draw")
        assert "not your turn" in said(refused)
        assert "An AI keeps your seat" in said(refused)
        assert "I am back" in {button.label for button in buttons_of(refused.response)}
        assert (await table_of(game)).sitters[0].absent
        await bob_plays(mine=True)
        answer = said(await game.slash(0, "draw"))
        assert "taken up your seat" in answer
        assert "You drew" in answer
        table = await table_of(game)
        assert table.sitters[0].is_active
        assert table.sitters[0].missed == 0


async def test_dates_are_offered_in_the_persons_zone(tmp_path: Path) -> None:
    async with playing(tmp_path / "c.db", members=1) as game:
        offered = await game.autocomplete(0, "away", "until", "")
        assert 5 < len(offered) <= 25
        assert all(choice["name"].endswith("09:00") for choice in offered)
        friday = await game.autocomplete(0, "away", "until", "friday 18:00")
        assert [choice["name"][:6] for choice in friday] == ["Friday"]
        assert friday[0]["value"].endswith("18:00")
        assert await game.autocomplete(0, "away", "until", "no date at all") == []
        await game.slash(0, "preferences", zone="Pacific/Kiritimati")
        later = await game.autocomplete(0, "away", "until", "12 hours")
        await game.slash(0, "preferences", zone="Pacific/Niue")
        sooner = await game.autocomplete(0, "away", "until", "12 hours")
        assert later[0]["value"][:10] > sooner[0]["value"][:10]
