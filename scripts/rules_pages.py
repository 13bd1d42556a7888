"""Writes docs/rules/, one page a profile and a table of contents, in the words of /rules."""

import argparse
import sys
from pathlib import Path

from cogs.ui.rules_pages import pages
from cogs.ui.text import DEFAULT

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Write the pages, or with --check name those that are not current; return the exit code."""
    parser = argparse.ArgumentParser(prog="scripts/rules-pages", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 when a page is not current"
    )
    parser.add_argument("--into", type=Path, default=ROOT / "docs" / "rules", help="the folder to fill")
    options = parser.parse_args()
    stale = []
    for name, content in pages(DEFAULT).items():
        path = options.into / f"{name}.md"
        if path.exists() and path.read_text(encoding="utf-8") == content:
            continue
        stale.append(path)
        if not options.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
    for path in stale:
        print(path)
    return int(options.check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
