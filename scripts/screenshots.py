"""Plays a little on the local page in a browser, and saves pictures of it in docs/pictures/.

`scripts/screenshots` runs it. It needs a Chromium of the system: on Debian, apt-get install chromium.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, sync_playwright
from playwright.sync_api import Page as BrowserPage

ROOT = Path(__file__).resolve().parent.parent
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP = (1100, 900)
PHONE = (420, 900)
TALL = 1800
"""Height of the window while one message is pictured, so that it is seen as a whole."""
PATIENCE = 30.0
"""Seconds to wait for the page to come to rest, or for something to appear."""

TURNS = 15
"""Turns to play at most until a meld has been laid."""

BOARD = re.compile("Stock")
HAND = "Your hand"
LAY = "Choose melds to lay"
DISCARD = "Discard …"

_CLICKS = 5
"""How often a button is clicked when the bot changes it at the same moment, as a person would."""


class DriveError(Exception):
    """The page did not do what was asked; the message says what, and what the page said."""


class Driver:
    """One person at the local page: runs commands, clicks buttons, chooses in selects, and looks."""

    def __init__(self, page: BrowserPage) -> None:
        self.page = page

    def open(self, url: str) -> None:
        """Load the page and wait until it is ready."""
        self.page.goto(url)
        self.page.wait_for_selector("#preview-app[aria-busy=false]")
        self.settled()

    # What the page is doing

    def state(self) -> dict[str, Any]:
        """What the page reports of itself."""
        state: dict[str, Any] = self.page.evaluate("() => window.simcordPreview")
        return state

    def settled(self) -> dict[str, Any]:
        """Wait until no action is under way, and return the page's state."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            state = self.state()
            if state["ready"] and not state["pendingAction"] and not state["pendingQuery"]:
                return state
            self.page.wait_for_timeout(50)
        raise DriveError(f"The page did not come to rest: {self.status()}")

    def status(self) -> str:
        """The page's own line about the last action."""
        return self.page.locator("#action-status").inner_text()

    def wait_for(self, text: str | re.Pattern[str]) -> Locator:
        """Wait until a message of the conversation contains `text`, and return the newest that does."""
        messages = self.page.locator("#channel-message-list article", has_text=text)
        messages.last.wait_for(timeout=PATIENCE * 1000)
        return messages.last

    def wait_for_turn(self) -> None:
        """Wait until the newest message says that it is the visitor's turn."""
        self.wait_for(re.compile("your turn", re.IGNORECASE))

    # What a person does

    def run_command(self, command: str, **options: str) -> None:
        """Run a slash command (`canasta new`) through the page's picker.

        An option with choices takes a choice's name. An underscore in an option's name stands for a hyphen.
        """
        self.settled()
        self.page.locator("#channel-composer-input").fill(f"/{command}")
        self.page.locator(".command-entry", has=self.page.get_by_text(f"/{command}", exact=True)).click()
        for name, value in options.items():
            self._fill_option(name.replace("_", "-"), value)
        before = self._request()
        self.page.locator("#send-message").click()
        self._wait_for_action(before, f"/{command}")

    def _fill_option(self, name: str, value: str) -> None:
        field = self.page.locator(f'.command-option-input[data-option="{name}"]')
        if not field.count():
            # The list of the remaining options is opened by its button, and sometimes already open.
            suggestion = self.page.locator(".command-suggestion", has=self.page.get_by_text(name, exact=True))
            if not suggestion.count():
                self.page.locator(".command-ghost").click()
            suggestion.first.click()
        field.click()
        field.fill(value)
        if field.get_attribute("role") == "combobox":
            self.page.locator(".command-suggestion", has_text=value).first.click()

    def click_button(self, label: str, *, within: str | re.Pattern[str] | None = None) -> None:
        """Click the newest button with this label (in the newest message that contains `within`)."""
        for _ in range(_CLICKS):
            self.settled()
            place = self.wait_for(within) if within else self.page.locator("#channel-message-list")
            button = place.locator("button.component-button").filter(has_text=label).last
            button.wait_for(timeout=PATIENCE * 1000)
            before = self._request()
            button.click()
            if self._wait_for_action(before, f"the button {label}"):
                return
        raise DriveError(f"The button {label} changed each time just before it was clicked.")

    def click_if_enabled(self, label: str, *, within: str | re.Pattern[str]) -> bool:
        """Click a button if it is there and can be clicked; say whether it was."""
        self.settled()
        button = self.wait_for(within).locator("button.component-button").filter(has_text=label).last
        if not button.count() or button.is_disabled():
            return False
        self.click_button(label, within=within)
        return True

    def has_select(self, placeholder: str) -> bool:
        """Whether there is a select that shows `placeholder`."""
        self.settled()
        return self.page.locator(".preview-select").filter(has_text=placeholder).count() > 0

    def choose_first(self, placeholder: str) -> None:
        """Choose the first option of the newest select that shows `placeholder`."""
        self.settled()
        found = self.page.locator(".preview-select").filter(has_text=placeholder).last
        key = found.get_attribute("data-control-key")  # the placeholder gives way to what is chosen
        select = self.page.locator(f'.preview-select[data-control-key="{key}"]')
        several = select.locator("[role=listbox]").get_attribute("aria-multiselectable") == "true"
        before = self._request()
        select.locator(".select-trigger").click()
        select.locator("[role=option]").first.click()
        if several:
            select.locator(".select-trigger").click()  # a select of several is sent when it is closed
        self._wait_for_action(before, f"the select {placeholder}")

    def _request(self) -> str | None:
        action = self.state()["lastAction"]
        return action["requestId"] if action else None

    def _wait_for_action(self, before: str | None, what: str) -> bool:
        """Wait for the action after `before`; False when the page had changed and nothing was done."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            state = self.settled()
            action = state["lastAction"]
            if action and action["requestId"] != before:
                if any(item["code"] == "stale-revision" for item in action["diagnostics"]):
                    return False
                if action["rejected"] or action["settlement"] != "settled":
                    raise DriveError(f"{what}: {self.status()} {action['diagnostics']}")
                return True
            self.page.wait_for_timeout(50)
        raise DriveError(f"{what}: nothing happened")

    # Pictures

    def picture(
        self, target: Path, size: tuple[int, int], *, of: str | re.Pattern[str] | None = None
    ) -> None:
        """Save the conversation as a window of this size shows it, or the newest message with `of` in it."""
        self.page.set_viewport_size({"width": size[0], "height": TALL if of else size[1]})
        if size[0] > PHONE[0] and self.page.locator("#messages-sidebar").is_visible():
            self.page.locator("#messages-toggle").click()
        self._wait_for_layout()
        self.page.mouse.move(0, 0)  # away from messages and buttons, which change under it
        self.page.evaluate("() => document.activeElement.blur()")
        place = self.wait_for(of) if of else self.page.locator("#channel-timeline")
        target.parent.mkdir(parents=True, exist_ok=True)
        place.screenshot(path=target)
        print(target)

    def _wait_for_layout(self) -> None:
        """Wait until the conversation has taken the width that there is for it."""
        end = time.monotonic() + PATIENCE
        stage = self.page.locator("#preview-stage")
        while self.settled()["presentation"]["viewport"]["width"] != stage.evaluate("it => it.clientWidth"):
            if time.monotonic() > end:
                raise DriveError("The page did not take the new width.")
            self.page.wait_for_timeout(50)
        self.page.wait_for_timeout(300)  # until it is laid out and scrolled


@contextmanager
def local_page(database: Path, *, ai_delay: float = 0.3) -> Iterator[str]:
    """The bot on its local page, as another process, with its own database; gives the page's address."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CANASTA_")}
    environment |= {
        "DISCORD_TOKEN": "",
        "CANASTA_LOCAL_DATABASE": str(database),
        "CANASTA_LOCAL_PORT": "0",
        "CANASTA_AI_DELAY": str(ai_delay),
    }
    command = [sys.executable, str(ROOT / "bot.py")]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as bot:
        try:
            assert bot.stdout is not None
            for line in bot.stdout:
                if address := re.search(r"http://127\.0\.0\.1:\S+", line):
                    yield address[0]
                    return
            raise DriveError("The bot ended without naming an address; what it said stands above.")
        finally:
            bot.terminate()


@contextmanager
def browser_page(url: str) -> Iterator[Driver]:
    """The local page in a browser of its own."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        raise DriveError("There is no Chromium; on Debian, apt-get install chromium brings it.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        try:
            page = browser.new_page(viewport={"width": DESKTOP[0], "height": DESKTOP[1]})
            page.set_default_timeout(PATIENCE * 1000)
            driver = Driver(page)
            driver.open(url)
            yield driver
        finally:
            browser.close()


def take_pictures(driver: Driver, folder: Path) -> None:
    """One person and three AI players: open a table, look at the hand, draw, lay, discard."""
    driver.run_command("canasta new")
    driver.wait_for("Start")
    driver.picture(folder / "lobby.png", DESKTOP, of="Start")
    driver.click_button("Start")
    laid = False
    for turn in range(1, TURNS + 1):
        driver.wait_for_turn()
        if turn == 1:
            driver.click_button("My hand")
        else:
            driver.click_button("Refresh", within=HAND)
        driver.click_button("Draw", within=HAND)
        if driver.has_select(LAY):
            driver.choose_first(LAY)
            for name, size in (("", DESKTOP), ("-phone", PHONE)):
                driver.picture(folder / f"hand{name}.png", size, of=HAND)
            laid = driver.click_if_enabled("Lay", within=HAND) or laid
        driver.choose_first(DISCARD)
        driver.click_if_enabled("Only discard", within=HAND)  # asked where what was chosen is not laid
        if laid:
            break
    driver.wait_for_turn()
    for name, size in (("", DESKTOP), ("-phone", PHONE)):
        driver.picture(folder / f"board{name}.png", size, of=BOARD)
        driver.picture(folder / f"channel{name}.png", size)


def main() -> int:
    """Take the pictures; return the exit code."""
    parser = argparse.ArgumentParser(prog="scripts/screenshots", description=__doc__)
    parser.add_argument("--into", type=Path, default=ROOT / "docs" / "pictures", help="the folder to fill")
    options = parser.parse_args()
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            local_page(Path(folder) / "pictures.db") as url,
            browser_page(url) as driver,
        ):
            take_pictures(driver, options.into)
    except DriveError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
