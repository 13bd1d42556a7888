"""Discord's description as the harness reads it."""

from __future__ import annotations

import json
import lzma
from typing import Any

import pytest

from . import description
from .description import problems, template_of
from .trim import TRIMMED, trimmed

SEND = "/channels/123/messages"
CALLBACK = "/interactions/1/token/callback"


def test_the_trimmed_description_is_closed_and_stays_as_it_is_when_trimmed_again() -> None:
    document = json.loads(lzma.decompress(TRIMMED.read_bytes()))
    assert trimmed(document) == document  # raises KeyError when a schema were missing
    assert (TRIMMED.with_name("LICENSE")).read_text(encoding="utf-8").startswith("MIT License")
    assert len(document["paths"]) == 150


@pytest.mark.parametrize(
    ("method", "path", "template"),
    [
        ("POST", SEND, "/channels/{channel_id}/messages"),
        ("GET", "/channels/1/messages/pins", "/channels/{channel_id}/messages/pins"),
        (
            "PATCH",
            "/webhooks/1/t/messages/@original",
            "/webhooks/{webhook_id}/{webhook_token}/messages/@original",
        ),
        ("PUT", "/applications/1/commands", "/applications/{application_id}/commands"),
    ],
)
def test_paths_are_found(method: str, path: str, template: str) -> None:
    found = template_of(method, path)
    assert found is not None
    assert found[0] == template


@pytest.mark.parametrize(
    ("method", "path", "body", "where"),
    [
        ("POST", "/channels/123/message", {}, ""),
        ("PUT", SEND, {}, ""),
        ("POST", "/channels/None/messages", {}, ""),
        ("POST", SEND, None, ""),
        ("DELETE", "/channels/1/messages/2", {}, ""),
        ("POST", SEND, {"content": 5}, "/content"),
        ("POST", SEND, {"allowed_mentions": {"users": ["x"]}}, "/allowed_mentions/users/0"),
        ("POST", SEND, {"allowed_mentions": {"parse": ["all"]}}, "/allowed_mentions/parse/0"),
        (
            "POST",
            SEND,
            {"components": [{"type": 1, "components": [{"type": 2, "style": 1, "label": "x" * 81}]}]},
            "/components/0/components/0/label",
        ),
        ("POST", SEND, {"embeds": [{"title": "x" * 257}]}, "/embeds/0/title"),
        ("POST", CALLBACK, {"type": 4, "data": {"content": "x" * 2001}}, "/data/content"),
        ("POST", CALLBACK, {"type": 9, "data": {"title": "t", "custom_id": "x"}}, "/data"),
        ("PUT", "/applications/1/commands", [{"name": "x" * 33, "description": "d"}], "/0/name"),
        ("PATCH", "/webhooks/1/t/messages/@original", {"embeds": [{}] * 11}, "/embeds"),
    ],
)
def test_what_is_refused(method: str, path: str, body: Any, where: str) -> None:
    assert [place for place, _ in problems(method, path, body)] == [where]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", SEND, {"content": "hello", "allowed_mentions": {"parse": [], "users": [5]}}),
        ("POST", SEND, {"content": "hello", "allowed_mentions": {"users": ["5"]}}),
        ("DELETE", "/channels/1/messages/2", None),
        ("POST", CALLBACK, {"type": 5, "data": {"flags": 64}}),
        ("POST", CALLBACK, {"type": 6}),
        ("PATCH", "/webhooks/1/t/messages/@original", {"content": None}),
        ("PUT", "/applications/1/commands", [{"name": "x", "description": "d", "type": 1}]),
    ],
)
def test_what_is_accepted(method: str, path: str, body: Any) -> None:
    assert list(problems(method, path, body)) == []


def test_schemas_are_compiled_once() -> None:
    body = {"content": "x"}
    list(problems("POST", SEND, body))
    before = description._validator.cache_info()
    list(problems("POST", SEND, body))
    list(problems("POST", "/channels/9/messages", body))
    after = description._validator.cache_info()
    assert (after.misses, after.hits) == (before.misses, before.hits + 2)
