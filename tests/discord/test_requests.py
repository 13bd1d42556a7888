"""What the checker knows of the moment of a request: the interaction, its clock, and who can see the body."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import simcord
from simcord.backend.models import Interaction
from simcord.types import HttpLogEntry

from .checks import EPHEMERAL
from .requests import (
    AUTOCOMPLETE,
    CHOICES,
    COMMAND,
    COMPONENT,
    DEFER,
    MODAL,
    SEND,
    SUBMIT,
    UPDATE,
    RefusedRequests,
    RequestChecker,
)
from .toy_bot import ToyBot

QUIET = {"allowed_mentions": {"parse": []}}


class World:
    """A simulated Discord without a bot: requests are put into its log as the routes do."""

    def __init__(self, path: Path) -> None:
        self.env = simcord.Env(ToyBot(path))
        self.backend = self.env.backend
        self.guild = self.env.create_guild()
        self.channel = self.guild.create_text_channel("table")
        self.user = self.backend.make_user("Ann")
        self.checker = RequestChecker()
        self.checker.watch(self.env)

    def interaction(self, kind: int, source: Any = None) -> Interaction:
        record = self.backend.new_interaction(kind, self.channel.id, self.user.id, self.guild.id)
        record.source_message_id = None if source is None else source.id
        return record

    def message(self, *, ephemeral: bool = False) -> Any:
        flags = EPHEMERAL if ephemeral else 0
        return self.backend.create_message(self.channel.id, self.backend.bot_user.id, "x", flags=flags)

    def request(self, method: str, path: str, body: Any = None) -> list[str]:
        """The codes of what is wrong with this request."""
        before = len(self.checker.failures)
        self.backend.http_requests.append(HttpLogEntry(method, path, {}, body, None))
        return [failure.code for failure in self.checker.failures[before:]]

    def answer(self, record: Interaction, kind: int, **data: Any) -> list[str]:
        body = {"type": kind, **({"data": data} if data else {})}
        return self.request("POST", f"/interactions/{record.id}/{record.token}/callback", body)

    def follow(self, record: Interaction, method: str, rest: str = "", **body: Any) -> list[str]:
        path = f"/webhooks/{self.backend.application_id}/{record.token}{rest}"
        return self.request(method, path, body or None)

    @property
    def viewer(self) -> int | None:
        return self.checker.sent[-1].viewer


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "unused.db")


MODAL_BODY: dict[str, Any] = {
    "title": "Ask",
    "custom_id": "m",
    "components": [{"type": 1, "components": [{"type": 4, "custom_id": "t", "label": "Answer", "style": 1}]}],
}


def test_an_interaction_is_answered_once_and_in_time(world: World) -> None:
    record = world.interaction(COMMAND)
    world.backend.advance_clock(2.9)
    assert world.answer(record, SEND, content="x", **QUIET) == []
    record.respond_with_message(1, ephemeral=False)
    assert world.answer(record, SEND, content="x", **QUIET) == ["answered-twice"]
    late = world.interaction(COMMAND)
    world.backend.advance_clock(3)
    assert world.answer(late, SEND, content="x", **QUIET) == ["answered-late"]
    assert world.request("POST", f"/interactions/{record.id}/other/callback", {"type": 6}) == [
        "interaction-unknown"
    ]


def test_a_token_lives_for_fifteen_minutes(world: World) -> None:
    record = world.interaction(COMMAND)
    assert world.follow(record, "POST", content="x", **QUIET) == ["followup-first"]
    record.respond_with_message(world.message().id, ephemeral=False)
    world.backend.advance_clock(899)
    assert world.follow(record, "POST", content="x", **QUIET) == []
    assert world.follow(record, "DELETE", "/messages/@original") == []
    world.backend.advance_clock(1)
    assert world.follow(record, "POST", content="x", **QUIET) == ["token-expired"]
    assert world.follow(record, "PATCH", "/messages/@original", content="x") == ["token-expired"]
    assert world.follow(record, "DELETE", "/messages/@original") == ["token-expired"]


def test_answers_fit_the_kind_of_interaction(world: World) -> None:
    message = world.message()
    assert world.answer(world.interaction(SUBMIT), MODAL, **MODAL_BODY) == ["modal-after-modal"]
    assert world.answer(world.interaction(COMMAND), MODAL, **MODAL_BODY) == []
    assert world.answer(world.interaction(COMMAND), UPDATE, content="x") == ["answer-kind"]
    assert world.answer(world.interaction(COMPONENT, message), UPDATE, content="x") == []
    assert world.answer(world.interaction(COMMAND), CHOICES, choices=[]) == ["answer-kind"]
    assert world.answer(world.interaction(AUTOCOMPLETE), SEND, content="x", **QUIET) == ["answer-kind"]
    assert world.answer(world.interaction(AUTOCOMPLETE), CHOICES, choices=[]) == []


def test_bodies_of_callbacks_are_checked_by_their_kind(world: World) -> None:
    twice = [{"name": "n", "value": "v"}] * 2
    assert world.answer(world.interaction(AUTOCOMPLETE), CHOICES, choices=twice) == ["duplicate-choice"]
    same = {**MODAL_BODY, "components": MODAL_BODY["components"] * 2}
    assert world.answer(world.interaction(COMMAND), MODAL, **same) == ["duplicate-custom-id"]
    assert world.answer(world.interaction(COMMAND), SEND, content="x") == ["mentions-unset"]
    assert world.checker.failures[-1].where == "/data/allowed_mentions"
    v2 = world.message()
    v2.flags = 1 << 15
    assert world.answer(world.interaction(COMPONENT, v2), UPDATE, content="x") == ["v2-content"]
    assert world.request("PATCH", f"/channels/{world.channel.id}/messages/{v2.id}", {"content": "x"}) == [
        "v2-content"
    ]


def test_messages_and_follow_ups_must_say_whom_they_ping(world: World) -> None:
    channel = f"/channels/{world.channel.id}/messages"
    record = world.interaction(COMMAND)
    record.defer(world.message().id, ephemeral=False)
    assert world.request("POST", channel, {"content": "x"}) == ["mentions-unset"]
    assert world.request("POST", channel, {"content": "x", **QUIET}) == []
    assert world.follow(record, "POST", content="x") == ["mentions-unset"]
    assert world.follow(record, "PATCH", "/messages/@original", content="x") == ["mentions-unset"]
    record.complete_deferred()
    assert world.follow(record, "PATCH", "/messages/@original", content="x") == []


def test_ephemeral_messages_are_out_of_the_channels_reach(world: World) -> None:
    own, public = world.message(ephemeral=True), world.message()
    channel = f"/channels/{world.channel.id}/messages"
    assert world.request("PATCH", f"{channel}/{own.id}", {"content": "x"}) == ["ephemeral-by-channel"]
    assert world.request("DELETE", f"{channel}/{own.id}") == ["ephemeral-by-channel"]
    assert world.request("PATCH", f"{channel}/{public.id}", {"content": "x"}) == []


def test_commands_are_checked_wherever_they_are_synced(world: World) -> None:
    app = world.backend.application_id
    bad = {"name": "Canasta", "description": "x", "type": 1}
    assert world.request("PUT", f"/applications/{app}/commands", [bad]) == ["name"]
    assert world.request("PUT", f"/applications/{app}/guilds/{world.guild.id}/commands", [bad]) == ["name"]
    assert world.request("POST", f"/applications/{app}/commands", bad) == ["name"]


def test_unanswered_interactions_are_found_at_the_end_and_told_once(world: World) -> None:
    world.interaction(COMMAND)
    thinking = world.interaction(COMMAND)
    thinking.defer(world.message().id, ephemeral=True)
    with pytest.raises(RefusedRequests) as raised:
        world.checker.verify()
    assert [one.code for one in raised.value.failures] == ["unanswered", "still-thinking"]
    world.checker.verify()


def test_interactions_from_before_are_not_judged(world: World) -> None:
    world.interaction(COMMAND)
    later = RequestChecker()
    later.watch(world.env)
    later.verify()


def test_who_can_see_an_answer(world: World) -> None:
    ann = world.user.id
    own, public = world.message(ephemeral=True), world.message()
    world.answer(world.interaction(COMMAND), SEND, content="x", flags=EPHEMERAL, **QUIET)
    assert world.viewer == ann
    world.answer(world.interaction(COMMAND), SEND, content="x", **QUIET)
    assert world.viewer is None
    world.answer(world.interaction(COMPONENT, own), UPDATE, content="x")
    assert world.viewer == ann
    world.answer(world.interaction(COMPONENT, public), UPDATE, content="x")
    assert world.viewer is None
    world.answer(world.interaction(COMPONENT, public), SEND, content="x", flags=EPHEMERAL, **QUIET)
    assert world.viewer == ann
    world.answer(world.interaction(COMMAND), MODAL, **MODAL_BODY)
    assert world.viewer == ann
    world.answer(world.interaction(AUTOCOMPLETE), CHOICES, choices=[])
    assert world.viewer == ann
    world.answer(world.interaction(COMMAND), DEFER, flags=EPHEMERAL)
    assert world.viewer == ann


def test_who_can_see_what_follows(world: World) -> None:
    ann = world.user.id
    own, public = world.message(ephemeral=True), world.message()
    private = world.interaction(COMMAND)
    private.defer(own.id, ephemeral=True)
    # The first follow-up of a deferred answer is that answer, whatever its own flags say.
    world.follow(private, "POST", content="x", **QUIET)
    assert world.viewer == ann
    world.follow(private, "PATCH", "/messages/@original", content="x", **QUIET)
    assert world.viewer == ann
    private.complete_deferred()
    world.follow(private, "POST", content="x", **QUIET)
    assert world.viewer is None

    shown = world.interaction(COMMAND)
    shown.defer(public.id, ephemeral=False)
    world.follow(shown, "POST", content="x", flags=EPHEMERAL, **QUIET)
    assert world.viewer is None
    shown.complete_deferred()
    world.follow(shown, "POST", content="x", flags=EPHEMERAL, **QUIET)
    assert world.viewer == ann
    world.follow(shown, "PATCH", f"/messages/{own.id}", content="x")
    assert world.viewer == ann
    world.follow(shown, "PATCH", "/messages/@original", content="x")
    assert world.viewer is None


def test_what_is_not_proven_private_is_public(world: World) -> None:
    world.request("POST", f"/channels/{world.channel.id}/messages", {"content": "x", **QUIET})
    assert world.viewer is None
    world.request("POST", f"/channels/{world.channel.id}/threads", {"name": "x", "type": 11})
    assert world.viewer is None
    world.request("POST", "/nowhere", {"content": "x"})
    assert world.viewer is None
    assert len(world.checker.public_payloads()) == 3
    assert world.checker.private_payloads() == []


def test_a_direct_message_is_for_one(world: World) -> None:
    channel = world.backend.get_dm_channel(world.user.id)
    world.request("POST", f"/channels/{channel.id}/messages", {"content": "x", **QUIET})
    assert world.viewer == world.user.id
    assert world.checker.private_payloads(world.user.id) == [{"content": "x", **QUIET}]
    assert world.checker.private_payloads(1) == []


def test_a_failure_names_route_place_and_body(world: World) -> None:
    body = {"embeds": [{"fields": [{"name": "Team", "value": "y" * 1025}]}], **QUIET}
    world.request("POST", f"/channels/{world.channel.id}/messages", body)
    (failure,) = world.checker.failures
    assert failure.request == "POST /channels/{channel_id}/messages"
    assert failure.where == "/embeds/0/fields/0/value"
    assert failure.excerpt.startswith('"yyy')
    assert len(str(failure)) < 600
