"""Makes openapi.json.xz from Discord's published description: `python -m tests.discord.trim openapi.json`.

Kept, word for word: every path and every method, the schema of every JSON request body, and every schema
these reach. Left out: responses, parameters, security, examples, and the form-encoded twins of JSON bodies.
"""

from __future__ import annotations

import json
import lzma
import sys
from pathlib import Path
from typing import Any

TRIMMED = Path(__file__).with_name("openapi.json.xz")
METHODS = ("get", "put", "post", "patch", "delete")
_SCHEMAS = "#/components/schemas/"


def reachable(node: Any, schemas: dict[str, Any], found: dict[str, Any]) -> None:
    """Collect into `found` every named schema that `node` refers to, however deep."""
    if isinstance(node, list):
        for part in node:
            reachable(part, schemas, found)
    elif isinstance(node, dict):
        target = node.get("$ref")
        if isinstance(target, str):
            name = target.removeprefix(_SCHEMAS)
            if name not in found:
                found[name] = schemas[name]
                reachable(schemas[name], schemas, found)
        for part in node.values():
            reachable(part, schemas, found)


def trimmed(description: dict[str, Any]) -> dict[str, Any]:
    """The parts of `description` that say what a request may look like."""
    paths: dict[str, Any] = {}
    for path, operations in description["paths"].items():
        paths[path] = {}
        for method in METHODS:
            if method not in operations:
                continue
            body = operations[method].get("requestBody")
            kept = {} if body is None else {"requestBody": _json_part(body)}
            paths[path][method] = kept
    schemas: dict[str, Any] = {}
    reachable(paths, description["components"]["schemas"], schemas)
    return {
        "openapi": description["openapi"],
        "info": description["info"],
        "paths": paths,
        "components": {"schemas": dict(sorted(schemas.items()))},
    }


def _json_part(body: dict[str, Any]) -> dict[str, Any]:
    content = body["content"]
    kind = "application/json" if "application/json" in content else next(iter(content))
    return {**body, "content": {kind: content[kind]}}


def main() -> None:
    description = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    text = json.dumps(trimmed(description), separators=(",", ":"), ensure_ascii=False)
    TRIMMED.write_bytes(lzma.compress(text.encode(), preset=9))


if __name__ == "__main__":
    main()
