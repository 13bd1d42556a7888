"""Discord's published description of its HTTP API, as a judge of requests (openapi.json.xz)."""

from __future__ import annotations

import copy
import json
import lzma
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import jsonschema_rs

_FILE = Path(__file__).with_name("openapi.json.xz")
_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_SNOWFLAKE = re.compile(r"[0-9]{1,20}")


@cache
def _paths() -> dict[str, dict[str, Any]]:
    return _document()["paths"]


@cache
def _document() -> dict[str, Any]:
    document = json.loads(lzma.decompress(_FILE.read_bytes()))
    # The one liberty taken: Discord reads snowflakes written as integers, and discord.py writes some so.
    schemas = document["components"]["schemas"]
    schemas["SnowflakeType"] = {"oneOf": [schemas["SnowflakeType"], {"type": "integer", "minimum": 0}]}
    return document


@cache
def _by_length() -> dict[int, list[tuple[list[str], str]]]:
    found: dict[int, list[tuple[list[str], str]]] = {}
    for template in _paths():
        parts = template.strip("/").split("/")
        found.setdefault(len(parts), []).append((parts, template))
    return found


@lru_cache(maxsize=4096)
def template_of(method: str, path: str) -> tuple[str, dict[str, str]] | None:
    """The described path which `path` is an instance of, with its parameters; None when there is none.

    Of several the one with most literal parts wins (`…/messages/pins` before `…/messages/{message_id}`).
    """
    parts = path.strip("/").split("/")
    best: tuple[int, str, dict[str, str]] | None = None
    for wanted, template in _by_length().get(len(parts), []):
        if method.lower() not in _paths()[template]:
            continue
        arguments: dict[str, str] = {}
        for pattern, part in zip(wanted, parts, strict=True):
            if pattern.startswith("{"):
                arguments[pattern[1:-1]] = part
            elif pattern != part:
                break
        else:
            literal = len(parts) - len(arguments)
            if best is None or literal > best[0]:
                best = literal, template, arguments
    return None if best is None else (best[1], best[2])


@cache
def _validator(template: str, method: str) -> jsonschema_rs.Validator | None:
    """The compiled schema of a route's body; compiled when first asked for, kept for the session."""
    body = _paths()[template][method.lower()].get("requestBody")
    if body is None:
        return None
    (content,) = body["content"].values()
    schema = {**copy.deepcopy(content["schema"]), "components": _document()["components"]}
    return jsonschema_rs.validator_for({"$schema": _DRAFT, **schema})


def problems(method: str, path: str, body: Any) -> Iterator[tuple[str, str]]:
    """What the description has against a request, as pairs of a JSON path and a sentence."""
    found = template_of(method, path)
    if found is None:
        yield "", "the description knows no such path and method"
        return
    template, arguments = found
    for name, value in arguments.items():
        if name.endswith("_id") and not _SNOWFLAKE.fullmatch(value):
            yield "", f"{value!r} is no {name}"
    validator = _validator(template, method)
    if validator is None:
        if body is not None:
            yield "", "the description has no body for this request"
        return
    if body is None:
        if _paths()[template][method.lower()]["requestBody"].get("required", False):
            yield "", "the description requires a body"
        return
    for error in validator.iter_errors(body):
        for cause in causes(error):
            yield "".join(f"/{part}" for part in cause.instance_path), cause.message


def causes(error: Any) -> list[Any]:
    """The errors that a person would name, out of the branches of a union that does not fit.

    A component that is wrong fits no branch of its union; meant is the one that accepts its `type`, else the
    one whose errors lie deepest.
    """
    kind = error.kind
    if kind.name not in ("anyOf", "oneOf") or not getattr(kind, "context", None):
        return [error]
    own_type = [*error.instance_path, "type"]
    meant = [branch for branch in kind.context if not any(_denies(one, own_type) for one in branch)]
    if not meant:
        return [error]
    branch = max(meant, key=lambda errors: max(len(one.instance_path) for one in errors))
    return [cause for one in branch for cause in causes(one)]


def _denies(error: Any, own_type: list[Any]) -> bool:
    if error.kind.name == "type" and error.instance_path == own_type[:-1]:
        return True  # a null where an object is given, and the like
    return list(error.instance_path) == own_type and error.kind.name in ("enum", "const", "oneOf")
