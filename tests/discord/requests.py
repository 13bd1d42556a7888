"""Watches every HTTP request that a bot makes in a simulated Discord, and says what the real one would not
accept.

`RequestChecker.watch(env)` listens to the request log of a `simcord.Env`, which every route passes through:
the client's own requests, interaction callbacks, webhooks and follow-ups, the command sync; multipart ones
by their payload_json. Each is held against Discord's published description (`description.py`), then against
the hand-written checks (`checks.py`), then against what the simulation knows of the moment: which
interaction, when, who may see it.

Nothing is raised while the bot runs (a bot that catches exceptions would hide it). `verify()` raises at the
end.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import checks, description
from .checks import EPHEMERAL, Problem

if TYPE_CHECKING:
    from simcord import Env
    from simcord.types import HttpLogEntry

CALLBACK = "/interactions/{interaction_id}/{interaction_token}/callback"
MESSAGES = "/channels/{channel_id}/messages"
MESSAGE = "/channels/{channel_id}/messages/{message_id}"
WEBHOOK = "/webhooks/{webhook_id}/{webhook_token}"
ORIGINAL = "/webhooks/{webhook_id}/{webhook_token}/messages/@original"
FOLLOWUP = "/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}"
_EXCERPT = 200

# Types of interactions and of callbacks.
COMMAND, COMPONENT, AUTOCOMPLETE, SUBMIT = 2, 3, 4, 5
SEND, DEFER, DEFER_UPDATE, UPDATE, CHOICES, MODAL = 4, 5, 6, 7, 8, 9


@dataclass(frozen=True)
class Sent:
    """A request as it left the bot. `viewer` is the one user who can see its body; None: everybody may."""

    method: str
    path: str
    body: Any
    viewer: int | None
    at: float
    """Seconds of virtual time since the simulation began."""


@dataclass(frozen=True)
class Failure:
    """Something Discord would refuse, or that a player should never get."""

    code: str
    request: str
    where: str
    text: str
    excerpt: str = ""

    def __str__(self) -> str:
        body = f"\n      body: {self.excerpt}" if self.excerpt else ""
        return f"[{self.code}] {self.request}\n      {self.where or '/'}: {self.text}{body}"


class RefusedRequests(AssertionError):
    """Raised by `RequestChecker.verify` with all failures of a test."""

    def __init__(self, failures: list[Failure]) -> None:
        self.failures = failures
        listing = "\n  ".join(map(str, failures))
        super().__init__(f"{len(failures)} things that Discord, or a player, would not accept:\n  {listing}")


class _Log(list):  # type: ignore[type-arg]
    """The request log of a simulation, with a listener that is told before the request is handled."""

    def __init__(self, entries: list[HttpLogEntry], listener: Callable[[HttpLogEntry], None]) -> None:
        super().__init__(entries)
        self._listener = listener

    def append(self, entry: HttpLogEntry) -> None:
        super().append(entry)
        self._listener(entry)


class RequestChecker:
    """Collects what is wrong with a bot's requests, and who could see what of them."""

    def __init__(self) -> None:
        self.failures: list[Failure] = []
        self.sent: list[Sent] = []
        self._backend: Any = None
        self._before: frozenset[int] = frozenset()
        self._reported: set[tuple[str, int]] = set()

    def watch(self, env: Env) -> None:
        """Listen to `env` from now on, through restarts of its bot. Older interactions are not judged."""
        self._backend = env.backend
        self._before = frozenset(env.backend.interactions)
        env.backend.http_requests = _Log(env.backend.http_requests, self._hear)

    def take(self, code: str | None = None) -> list[Failure]:
        """The failures so far (of one code), which then no longer count: for tests that provoke them."""
        self._look_at_interactions()
        taken = [one for one in self.failures if code in (None, one.code)]
        self.failures = [one for one in self.failures if one not in taken]
        return taken

    def verify(self) -> None:
        """Raise `RefusedRequests` when anything was wrong, unanswered interactions among it."""
        if failures := self.take():
            raise RefusedRequests(failures)

    def public_payloads(self) -> list[Any]:
        """Every body that is not proven to be for one person only."""
        return [one.body for one in self.sent if one.viewer is None]

    def private_payloads(self, viewer: int | None = None) -> list[Any]:
        """Every body that one person alone can see (that of `viewer`)."""
        return [one.body for one in self.sent if one.viewer is not None and viewer in (None, one.viewer)]

    # one request

    def _hear(self, entry: HttpLogEntry) -> None:
        if entry.json is not None:
            at = self._backend.clock.elapsed
            self.sent.append(Sent(entry.method, entry.path, entry.json, self._viewer(entry), at))
        formal = [
            Problem("description", where, text)
            for where, text in description.problems(entry.method, entry.path, entry.json)
        ]
        # The hand-written checks may rely on the shapes that the description has found right.
        for problem in [*(formal or self._content(entry)), *self._moment(entry)]:
            self._fail(problem, entry)

    def _fail(self, problem: Problem, entry: HttpLogEntry) -> None:
        found = description.template_of(entry.method, entry.path)
        route = f"{entry.method} {found[0] if found else entry.path}"
        excerpt = json.dumps(at_path(entry.json, problem.where), ensure_ascii=False)[:_EXCERPT]
        text = (
            problem.text if len(problem.text) <= _EXCERPT else f"{problem.text[:80]} … {problem.text[-80:]}"
        )
        self.failures.append(Failure(problem.code, route, problem.where, text, excerpt))

    def _content(self, entry: HttpLogEntry) -> Iterator[Problem]:
        """The hand-written checks that need nothing but the body, and the message which it edits."""
        found = description.template_of(entry.method, entry.path)
        body = entry.json
        if found is None or body is None:
            return
        template, _ = found
        if "/commands" in template and entry.method in ("PUT", "POST", "PATCH"):
            if "/permissions" not in template:
                yield from checks.commands(body)
        elif template == CALLBACK:
            for problem in self._callback(entry):
                yield problem._replace(where=f"/data{problem.where}")
        elif template in (MESSAGES, WEBHOOK) and entry.method == "POST":
            yield from checks.message(body)
            yield from checks.mentions(body)
        elif template in (MESSAGE, ORIGINAL, FOLLOWUP) and entry.method == "PATCH":
            message = self._message(entry)
            was_v2 = message is not None and bool(message.flags & checks.COMPONENTS_V2)
            yield from checks.message(body, was_v2=was_v2)
            record = self._interaction(entry)
            if (record is not None and record.loading) or body.get("allowed_mentions") is not None:
                yield from checks.mentions(body)

    def _callback(self, entry: HttpLogEntry) -> Iterator[Problem]:
        kind, data = entry.json["type"], entry.json.get("data") or {}
        if kind == SEND:
            yield from checks.message(data)
            yield from checks.mentions(data)
        elif kind == UPDATE:
            message = self._message(entry)
            was_v2 = message is not None and bool(message.flags & checks.COMPONENTS_V2)
            yield from checks.message(data, was_v2=was_v2)
            if data.get("allowed_mentions") is not None:
                yield from checks.mentions(data)
        elif kind == CHOICES:
            yield from checks.choices("", data.get("choices") or [])
        elif kind == MODAL:
            yield from checks.modal(data)

    # the moment

    def _moment(self, entry: HttpLogEntry) -> Iterator[Problem]:
        """What is wrong with sending this request now."""
        found = description.template_of(entry.method, entry.path)
        if found is None:
            return
        template, arguments = found
        record = self._interaction(entry)
        now = self._backend.now_iso()
        if template == CALLBACK:
            if record is None or record.id != int(arguments["interaction_id"]):
                yield Problem("interaction-unknown", "", "no such interaction")
                return
            yield from self._first_answer(record, entry.json or {}, now)
        elif template in (WEBHOOK, ORIGINAL, FOLLOWUP) and record is not None:
            if record.expires_at is not None and now >= record.expires_at:
                yield Problem("token-expired", "", "the interaction's token is older than 15 minutes")
            if not record.responded:
                yield Problem("followup-first", "", "a follow-up before the interaction was answered")
        elif template == MESSAGE and entry.method in ("PATCH", "DELETE"):
            message = self._message(entry)
            if message is not None and message.is_ephemeral:
                yield Problem(
                    "ephemeral-by-channel", "", "an ephemeral message is out of the channel's reach"
                )

    def _first_answer(self, record: Any, body: dict[str, Any], now: str) -> Iterator[Problem]:
        if record.responded:
            yield Problem("answered-twice", "/type", "the interaction has been answered already")
        elif record.initial_response_deadline is not None and now >= record.initial_response_deadline:
            self._reported.add(("unanswered", record.id))  # said here, and with the cause
            yield Problem("answered-late", "/type", "more than 3 seconds after the interaction")
        kind = body.get("type")
        if kind == MODAL and record.type == SUBMIT:
            yield Problem("modal-after-modal", "/type", "a modal cannot answer the submission of a modal")
        if (kind == CHOICES) != (record.type == AUTOCOMPLETE):
            yield Problem(
                "answer-kind", "/type", f"callback type {kind} for an interaction of type {record.type}"
            )
        if kind in (UPDATE, DEFER_UPDATE) and record.source_message_id is None:
            yield Problem("answer-kind", "/type", "an update, but the interaction comes from no message")

    def _look_at_interactions(self) -> None:
        for record in self._backend.interactions.values() if self._backend is not None else ():
            if record.id in self._before:
                continue
            if not record.responded:
                self._unfinished("unanswered", record, "the interaction never got an answer")
            elif record.loading and record.message_id in self._backend.messages.get(record.channel_id, {}):
                self._unfinished("still-thinking", record, "deferred, and never answered after that")

    def _unfinished(self, code: str, record: Any, text: str) -> None:
        if (code, record.id) in self._reported:
            return
        self._reported.add((code, record.id))
        kinds = {COMMAND: "command", COMPONENT: "component", AUTOCOMPLETE: "autocomplete", SUBMIT: "modal"}
        what = f"interaction {record.id} ({kinds.get(record.type, record.type)} {record.command_name or ''})"
        self.failures.append(Failure(code, what, "", text))

    # who sees it

    def _interaction(self, entry: HttpLogEntry) -> Any:
        found = description.template_of(entry.method, entry.path)
        if found is None:
            return None
        token = found[1].get("interaction_token") or found[1].get("webhook_token")
        known = self._backend.interaction_tokens.get(token)
        return None if known is None else self._backend.interactions[known]

    def _message(self, entry: HttpLogEntry) -> Any:
        """The stored message that a request changes, if there is one."""
        found = description.template_of(entry.method, entry.path)
        if found is None:
            return None
        template, arguments = found
        record = self._interaction(entry)
        channel = record.channel_id if record is not None else arguments.get("channel_id")
        if template == CALLBACK:
            number = None if record is None else record.source_message_id
        elif template == ORIGINAL:
            number = None if record is None else record.message_id
        else:
            number = arguments.get("message_id")
        if channel is None or number is None or not str(number).isdigit():
            return None
        return self._backend.messages.get(int(channel), {}).get(int(number))

    def _viewer(self, entry: HttpLogEntry) -> int | None:
        found = description.template_of(entry.method, entry.path)
        if found is None:
            return None
        template, arguments = found
        record = self._interaction(entry)
        if record is not None:
            return record.user_id if self._is_private(entry, template, record) else None
        channel = (
            self._backend.channels.get(int(arguments["channel_id"]))
            if template in (MESSAGES, MESSAGE)
            else None
        )
        if channel is not None and channel.guild_id is None and len(channel.recipient_ids) == 1:
            (recipient,) = channel.recipient_ids
            return int(recipient)
        return None

    def _is_private(self, entry: HttpLogEntry, template: str, record: Any) -> bool:
        body = entry.json if isinstance(entry.json, dict) else {}
        message = self._message(entry)
        if template == CALLBACK:
            kind, data = body.get("type"), body.get("data") or {}
            if kind in (CHOICES, MODAL):
                return True
            if kind in (UPDATE, DEFER_UPDATE):
                return message is not None and message.is_ephemeral
            return bool((data.get("flags") or 0) & EPHEMERAL)
        if template == WEBHOOK:
            return record.ephemeral if record.loading else bool((body.get("flags") or 0) & EPHEMERAL)
        return message is not None and message.is_ephemeral


def at_path(body: Any, where: str) -> Any:
    """The part of a body at a JSON path, or the nearest thing around it."""
    for part in where.strip("/").split("/") if where else []:
        if isinstance(body, list) and part.isdigit() and int(part) < len(body):
            body = body[int(part)]
        elif isinstance(body, dict) and part in body:
            body = body[part]
        else:
            break
    return body
