"""Every kind of request that the bot makes, and everything that can happen to one on its way.

Each fault strikes once (what lasts is in tests/games/test_dead_ends.py): a move is stored exactly once, the
game goes on, who asked is answered when there is any way, nobody is pinged twice for a turn, and afterwards
everything is as if nothing had been.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from pathlib import Path
from typing import Any

import aiohttp
import discord
import pytest
from simcord import _settlement

from canasta_core.legality import who_acts
from canasta_core.tables.errors import StoreCode, StoreError
from canasta_core.tables.model import What
from canasta_core.tables.service import TableService
from tests.cogs.finished import play_league
from tests.cogs.players import click_turn, end_table, is_over, open_table, slash_turn, table_of, who_of
from tests.discord import waits
from tests.discord.harness import Game, playing, text_of
from tests.discord.wire import Fault, Wire

CALLBACK = "POST /interactions/{interaction_id}/{interaction_token}/callback"
ANSWER = "PATCH /webhooks/{webhook_id}/{webhook_token}/messages/@original"
ANSWER_ANEW = "POST /webhooks/{webhook_id}/{webhook_token}"
SEND = "POST /channels/{channel_id}/messages"
EDIT = "PATCH /channels/{channel_id}/messages/{message_id}"
DELETE = "DELETE /channels/{channel_id}/messages/{message_id}"
DIRECT = "POST /users/@me/channels"
THREAD = "GET /channels/{channel_id}"
UNARCHIVE = "PATCH /channels/{channel_id}"
MAKE_THREAD = "POST /channels/{channel_id}/threads"
UNMAKE_THREAD = "DELETE /channels/{channel_id}"
SYNC = "PUT /applications/{application_id}/commands"
LOGIN = "GET /oauth2/applications/@me"
MEMBER = "GET /guilds/{guild_id}/members/{user_id}"

NOT_FOUND = {
    CALLBACK: 10062,
    ANSWER: 10008,
    ANSWER_ANEW: 10015,
    SEND: 10003,
    EDIT: 10008,
    DELETE: 10008,
    DIRECT: 10013,
    THREAD: 10003,
    UNARCHIVE: 10003,
    MEMBER: 10007,
}
FORBIDDEN = {SEND: 50013, DIRECT: 50007, EDIT: 50001, DELETE: 50001}

TESTED = {
    CALLBACK,
    ANSWER,
    ANSWER_ANEW,
    SEND,
    EDIT,
    DELETE,
    DIRECT,
    THREAD,
    UNARCHIVE,
    MAKE_THREAD,
    UNMAKE_THREAD,
    SYNC,
    LOGIN,
    MEMBER,
}
RARE = {UNMAKE_THREAD}
"""Only when the store fails in the middle."""

BOARD = "Canasta · table"


def faults(kind: str) -> list[Fault]:
    """All that can happen to a request of a kind."""
    return [
        Fault.of_status(403, FORBIDDEN.get(kind, 50013)),
        Fault("404", status=404, code=NOT_FOUND.get(kind, 0), gone=kind in (EDIT, DELETE)),
        Fault("429", status=429, retry_after=2.5),
        Fault("429 everywhere", status=429, retry_after=2.5, everywhere=True),
        Fault.of_status(500),
        Fault.of_status(503),
        Fault("hang", silent=True),
        Fault("hang after", silent=True, done=True),
        Fault("cut", cut=True),
        Fault("cut after", cut=True, done=True),
    ]


def each(*kinds: str) -> Any:
    cases = [pytest.param(kind, fault, id=f"{kind} {fault.name}") for kind in kinds for fault in faults(kind)]
    return pytest.mark.parametrize(("kind", "fault"), cases)


async def move(game: Game, rng: random.Random) -> Any:
    """One move as a command, and what its player sees a while later."""
    result = await slash_turn(game, rng)
    await game.advance(400)
    return result


async def play_a_turn(game: Game, rng: random.Random) -> int:
    """Moves until it is another player's turn; how many."""
    before = (await table_of(game)).turn_version
    moves = 0
    while (await table_of(game)).turn_version == before:
        await move(game, rng)
        moves += 1
    return moves


async def moves_stored(game: Game) -> int:
    log = await game.bot.service.log(1)  # type: ignore[attr-defined]
    return sum(entry.what is What.MOVE for entry in log)


def pings(wire: Wire) -> Counter[str]:
    """How often each short message that pings somebody was sent: they differ by turn in their buttons."""
    return Counter(
        str(body["components"])
        for kind, _, body in wire.delivered
        if kind == SEND and (body.get("allowed_mentions") or {}).get("users")
    )


async def check_as_ever(game: Game, kept: int = 0) -> None:
    """One board, up to date, and one ping, for whoever is in turn; before it `kept` that had to stay."""
    table = await table_of(game)
    assert not table.lost
    boards = [message for message in game.messages() if BOARD in text_of(message)]
    assert len(boards) == 1, game.screen(0)
    assert f":1:{table.version}" in str(boards[0].components), "the board is up to date"
    assert table.state is not None
    sitter = table.sitter(table.state.public.turn)
    assert sitter is not None
    shown = [message for message in game.messages() if "your turn at" in text_of(message)]
    assert len(shown) == kept + 1, game.screen(0)
    assert f"<@{sitter.user_id}>" in text_of(shown[-1])


@each(SEND, EDIT, DELETE)
async def test_a_fault_in_the_telling_costs_nothing(tmp_path: Path, kind: str, fault: Fault) -> None:
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        await open_table(game)
        wire, rng = Wire.of(game), random.Random(1)
        wire.fail(kind, fault)
        made = await moves_stored(game)
        for _ in range(3):
            made += await play_a_turn(game, rng)
        assert wire.met[kind] == 1
        await game.advance(600)
        made += await play_a_turn(game, rng)
        assert await moves_stored(game) == made, "each move is stored once"
        # A ping that the bot may not delete stays where it is.
        await check_as_ever(game, kept=int(kind == DELETE and fault.status == 403))
        assert max(pings(wire).values()) == 1, "nobody is pinged twice for a turn"


UNANSWERABLE = {(CALLBACK, "404")}
"""Discord knows nothing of the interaction any more."""


@each(CALLBACK, ANSWER)
async def test_a_fault_in_an_answer_loses_no_move(tmp_path: Path, kind: str, fault: Fault) -> None:
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        await open_table(game)
        wire, rng = Wire.of(game), random.Random(1)
        made = await moves_stored(game)
        wire.fail(kind, fault)
        result = await move(game, rng)
        assert wire.met[kind] == 1
        assert await moves_stored(game) == made + 1, "done once, whatever became of the answer"
        if (kind, fault.name) in UNANSWERABLE:
            game.checker.take()
        else:
            seen = [message for message in (result.response, *result.followups) if message is not None]
            assert any("Your hand" in text_of(message) for message in seen), "the player sees the hand"
            # What Discord refuses here is a repeated first answer: the first one had arrived.
            assert {failure.code for failure in game.checker.take()} <= {"answered-twice", "still-thinking"}
        await play_a_turn(game, rng)
        await check_as_ever(game)


@each(CALLBACK, ANSWER)
async def test_a_fault_in_the_answer_to_a_click_loses_no_move(
    tmp_path: Path, kind: str, fault: Fault
) -> None:
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        await open_table(game)
        wire = Wire.of(game)
        table = await table_of(game)
        assert table.state is not None
        who = who_of(game, table, who_acts(table.state.public)[0])
        hand = await game.click(who, label="My hand", message=game.board(BOARD))
        made = await moves_stored(game)
        wire.fail(kind, fault)
        await game.click(who, label="Draw", message=hand.response)
        await game.advance(400)
        assert wire.met[kind] == 1
        assert await moves_stored(game) == made + 1, "done once, whatever became of the answer"
        game.checker.take()
        again = await game.press(who, hand.response, f"cn:draw:1:{table.version}")
        await game.advance(400)
        assert await moves_stored(game) == made + 1, "the same click once more does nothing"
        assert "moved" in text_of(again) or "already" in text_of(again)
        await play_a_turn(game, random.Random(1))
        await check_as_ever(game)


@each(ANSWER_ANEW)
async def test_a_fault_in_a_second_message_loses_no_move(tmp_path: Path, kind: str, fault: Fault) -> None:
    """The message to be filled has gone, and its replacement meets a fault as well."""
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        await open_table(game)
        wire, rng = Wire.of(game), random.Random(1)
        made = await moves_stored(game)
        wire.fail(ANSWER, Fault.of_status(404, 10008))
        wire.fail(kind, fault)
        table = await table_of(game)
        assert table.state is not None
        who = who_of(game, table, who_acts(table.state.public)[0])
        await move(game, rng)
        assert wire.met[kind] == 1
        assert await moves_stored(game) == made + 1
        if fault.status not in (403, 404):
            assert any("Your hand" in text_of(message) for message in game.messages(who))
        game.checker.take("still-thinking")
        await play_a_turn(game, rng)
        await check_as_ever(game)


@pytest.mark.parametrize("command", ["stats", "privacy export"])
@each(ANSWER, ANSWER_ANEW)
async def test_a_fault_in_an_upload_costs_no_picture_and_no_file(
    tmp_path: Path, kind: str, fault: Fault, command: str
) -> None:
    """It is whole when it comes, which for a second try means: begun anew."""
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        await open_table(game)
        await play_league(game, 8)
        wire, rng = Wire.of(game), random.Random(1)
        if kind == ANSWER_ANEW:
            wire.fail(ANSWER, Fault.of_status(404, 10008))
        wire.fail(kind, fault)
        result = await game.slash(0, command)
        made = await moves_stored(game) + await play_a_turn(game, rng)
        await game.advance(400)
        assert wire.met[kind] == 1
        assert await moves_stored(game) == made, "the game goes on"
        shown = [message for message in game.messages(0) if message.attachments]
        if kind == ANSWER_ANEW and fault.status in (403, 404):
            assert not shown, "there is no place left for it"
        else:
            assert result.response is not None
            # A message whose receipt was lost may come twice where it has no nonce; it is private.
            assert len(shown) == 1 + (kind == ANSWER_ANEW and fault.done)
            for message in shown:
                (file,) = message.attachments
                content = game.env.backend.cdn.get(file.url)
                assert content == wire.uploaded[-1][2]
                assert content.startswith(b"\x89PNG" if command == "stats" else b"{")
        game.checker.take("still-thinking")
        await check_as_ever(game)


@each(DIRECT)
async def test_a_fault_in_opening_direct_messages_costs_a_ping_at_most(
    tmp_path: Path, kind: str, fault: Fault
) -> None:
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        await open_table(game)
        wire, rng = Wire.of(game), random.Random(1)
        gone, game.channel = game.channel, game.guild.create_text_channel("refuge")
        wire.fail(kind, fault)
        game.env.backend.delete_channel(gone.id)
        await game.env.settle()
        await game.advance(700)
        assert wire.met[kind] == 1
        told = sum(one == SEND and "your turn at" in str(body) for one, _, body in wire.delivered)
        assert told == (1 if fault.status in (403, 404) else 2), "the first ping, and where the table is lost"
        await play_a_turn(game, rng)
        told_after = sum(one == SEND and "your turn at" in str(body) for one, _, body in wire.delivered)
        assert told_after == told + 1
        await game.slash(0, "canasta move", table="1")
        await game.advance(10)
        await check_as_ever(game)


@each(THREAD, UNARCHIVE)
async def test_a_fault_in_opening_an_archived_thread_costs_nothing(
    tmp_path: Path, kind: str, fault: Fault
) -> None:
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        await game.slash(0, "canasta new", thread=True)
        await game.advance(5)
        (thread,) = game.channel.threads
        game.channel = thread
        for who in range(1, 4):
            await game.click(who, label="Join")
        await game.advance(5)
        wire, rng = Wire.of(game), random.Random(1)
        game.env.backend.edit_channel(thread.id, {}, thread_metadata={"archived": True})
        await game.env.settle()
        wire.fail(EDIT, Fault.of_status(400, 50083))
        wire.fail(kind, fault)
        made = await moves_stored(game) + await play_a_turn(game, rng)
        await game.advance(700)
        assert wire.met[kind] == 1
        made += await play_a_turn(game, rng)
        assert await moves_stored(game) == made
        await check_as_ever(game)
        assert max(pings(wire).values()) == 1


@each(MEMBER)
async def test_a_fault_in_asking_who_sees_a_channel_moves_no_table_unasked(
    tmp_path: Path, kind: str, fault: Fault
) -> None:
    async with playing(tmp_path / "c.db", members=2, attend=Wire.attend) as game:
        await open_table(game, 2, profile="salon", seats=2)
        refuge = game.guild.create_text_channel("refuge")
        wire = Wire.of(game)
        wire.fail(kind, fault)
        result = await game.slash(0, "canasta move", channel_=refuge, table="1")
        await game.advance(700)
        assert wire.met[kind] >= 1
        said = text_of(result)
        moved = (await table_of(game)).channel_id == refuge.id
        assert moved == ("nothing has changed" not in said), said
        assert "went wrong" not in said
        if not moved:
            await game.slash(0, "canasta move", channel_=refuge, table="1")
        assert (await table_of(game)).channel_id == refuge.id


@each(MAKE_THREAD)
async def test_a_fault_in_making_a_thread_is_answered(tmp_path: Path, kind: str, fault: Fault) -> None:
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        wire = Wire.of(game)
        wire.fail(kind, fault)
        result = await game.slash(0, "canasta new", thread=True)
        await game.advance(700)
        assert wire.met[kind] == 1
        assert text_of(result)
        assert "went wrong" not in text_of(result)
        tables = await game.bot.service.tables_in(game.guild.id)  # type: ignore[attr-defined]
        assert fault.done <= len(tables) <= 1
        assert [one.id for one in game.channel.threads] == [table.channel_id for table in tables]
        await game.slash(0, "canasta new", thread=True)
        await game.advance(10)
        again = await game.bot.service.tables_in(game.guild.id)  # type: ignore[attr-defined]
        assert len(again) == len(tables) + 1
        assert again[-1].channel_id != game.channel.id


@each(UNMAKE_THREAD)
async def test_a_fault_in_taking_back_a_thread_is_answered(
    tmp_path: Path, kind: str, fault: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        wire = Wire.of(game)

        async def full(*_: object, **__: object) -> None:
            raise StoreError(StoreCode.FULL, "disk full")

        wire.fail(kind, fault)
        with monkeypatch.context() as patch:
            patch.setattr(TableService, "create", full)
            result = await game.slash(0, "canasta new", thread=True)
            await game.advance(700)
        assert wire.met[kind] == 1
        assert "could not be saved" in text_of(result)
        assert not await game.bot.service.tables_in(game.guild.id)  # type: ignore[attr-defined]


async def let_time_pass(env: Any) -> None:
    """While a bot starts, nobody else moves its time."""
    loop = asyncio.get_running_loop()
    while env.bot.service._telling._teller is None:
        await asyncio.sleep(0.02)
        timer = waits.next_timer(env) if env._runtime is not None else None
        if timer is not None and env.bot.service._telling._teller is None:
            env._move_clock(max(timer, env._virtual_time))
            _settlement._run_due_virtual_callbacks(env._settlement_state(), loop.time() + 5)


@each(LOGIN, SYNC)
async def test_a_fault_at_the_start_keeps_everything(tmp_path: Path, kind: str, fault: Fault) -> None:
    """It starts all the same, or it says why it does not, and the next start finds everything as it was."""
    database = tmp_path / "c.db"
    async with playing(database, members=4, attend=Wire.attend) as game:
        await open_table(game)
        await play_a_turn(game, random.Random(1))
        before = await table_of(game)
        world = game.world
    (tmp_path / "c.db.commands").unlink()

    pumps: list[asyncio.Task[None]] = []
    started: list[Any] = []

    def strike(env: Any, checker: Any) -> None:
        Wire.attend(env, checker)
        env._wire.fail(kind, fault)
        started.append(env)
        pumps.append(asyncio.get_running_loop().create_task(let_time_pass(env)))

    failed = None
    try:
        async with playing(database, world=world, attend=strike) as game:
            pumps.pop().cancel()
            await game.advance(700)
            assert await table_of(game) == before
    except (discord.HTTPException, aiohttp.ClientError, TimeoutError) as error:
        failed = error
        await started[0].bot.close()
    for pump in pumps:
        pump.cancel()
    if failed is not None:
        assert kind == LOGIN, "bot.py makes a sentence of these"
    async with playing(database, world=world, attend=Wire.attend) as game:
        assert await table_of(game) == before
        await play_a_turn(game, random.Random(2))
        await check_as_ever(game)


async def test_a_lost_gateway_loses_nothing(tmp_path: Path) -> None:
    """While the gateway is away nobody's clicks arrive; what is told goes on, and afterwards all is well."""
    async with playing(tmp_path / "c.db", members=4, attend=Wire.attend) as game:
        await open_table(game)
        rng, socket = random.Random(1), game.bot.ws
        made = await play_a_turn(game, rng)
        table = await table_of(game)
        socket.open = False  # type: ignore[attr-defined]
        await slash_turn(game, rng)
        game.checker.take("unanswered")
        assert await table_of(game) == table, "it never arrived"
        await game.advance(3600)
        socket.open = True  # type: ignore[attr-defined]
        router = game.env._gateway_feed.__closure__  # type: ignore[union-attr]
        feeding = next(cell.cell_contents for cell in router if hasattr(cell.cell_contents, "__self__"))
        feeding.__self__.identify(0, replay_guilds=True)
        await game.env.settle()
        assert made
        await play_a_turn(game, rng)
        await check_as_ever(game)
        assert max(pings(Wire.of(game)).values()) == 1


async def test_every_kind_of_request_has_its_faults(tmp_path: Path) -> None:
    """Whatever the bot does while people play, it makes no request that no test above has let fail."""
    seen: set[str] = set()
    async with playing(tmp_path / "c.db", members=2, attend=Wire.attend) as game:
        rng = random.Random(5)
        await game.autocomplete(0, "canasta new", "seats", "", profile="salon")
        await game.slash(0, "canasta new", profile="salon", seats=2)
        await game.click(1, label="Join")
        while not await is_over(game):
            await (slash_turn if rng.random() < 0.5 else click_turn)(game, rng)
        await game.click(0, label="Next round")
        await slash_turn(game, rng)
        refuge = game.guild.create_text_channel("refuge")
        await game.slash(0, "canasta move", channel_=refuge, table="1")
        for name in ("table", "hand", "score", "rules", "canasta list", "canasta settings", "preferences"):
            await game.slash(0, name)
        await game.advance(3 * 86_400)
        await end_table(game)
        await game.slash(0, "canasta new", profile="salon", seats=2, thread=True)
        await game.advance(10)
        (thread,) = game.channel.threads
        home, game.channel = game.channel, thread
        await game.click(1, label="Join")
        game.env.backend.edit_channel(thread.id, {}, thread_metadata={"archived": True})
        wire = Wire.of(game)
        wire.fail(EDIT, Fault.of_status(400, 50083))
        wire.fail(ANSWER, Fault.of_status(404, 10008))
        await slash_turn(game, rng, 2)
        game.channel = home
        game.env.backend.delete_channel(thread.id)
        await game.env.settle()
        game.env.backend.delete_channel(home.id)
        await game.advance(2 * 86_400)
        game.checker.take("still-thinking")
        seen |= set(wire.kinds)
    untested, unseen = sorted(seen - TESTED), sorted(TESTED - seen - RARE)
    assert not untested, "kinds without a test"
    assert not unseen, "tests of what is never asked for"
