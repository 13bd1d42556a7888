"""What a person reads and can press in a message, out of Discord's nested components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from simcord.results import InteractionResult

from .checks import BUTTON, GALLERY, SELECTS, TEXT_DISPLAY, THUMBNAIL, walk


@dataclass(frozen=True)
class Button:
    """A button as it is shown."""

    label: str
    custom_id: str
    disabled: bool
    style: int
    emoji: str
    url: str


@dataclass(frozen=True)
class Option:
    """One line of a select."""

    label: str
    value: str
    description: str


@dataclass(frozen=True)
class Select:
    """A select as it is shown."""

    custom_id: str
    placeholder: str
    options: tuple[Option, ...]
    min_values: int
    max_values: int
    disabled: bool

    @property
    def values(self) -> list[str]:
        """The values that can be chosen, in the order shown."""
        return [option.value for option in self.options]


def _components(message: Any) -> list[dict[str, Any]]:
    raw = message.components
    return [one if isinstance(one, dict) else one.to_dict() for one in raw]


def _embed(embed: Any) -> list[str]:
    data = embed if isinstance(embed, dict) else embed.to_dict()
    fields = [part for field in data.get("fields") or [] for part in (field.get("name"), field.get("value"))]
    outer = (data.get("title"), data.get("description"), *fields, (data.get("footer") or {}).get("text"))
    return [part for part in outer if part]


def text_of(message: Any) -> str:
    """All words of a message, one part a line: content, embeds, text displays and alt texts, in reading
    order.

    Of an interaction's result: those of its answer and its follow-ups.
    """
    if message is None:
        return ""
    if isinstance(message, InteractionResult):
        parts = [text_of(message.response), *map(text_of, message.followups)]
        return "\n".join(part for part in parts if part)
    parts = [message.content or ""]
    for embed in message.embeds:
        parts += _embed(embed)
    for _, one in walk(_components(message)):
        if one.get("type") == TEXT_DISPLAY:
            parts.append(one.get("content") or "")
        elif one.get("type") == THUMBNAIL:
            parts.append(one.get("description") or "")
        elif one.get("type") == GALLERY:
            parts += [item.get("description") or "" for item in one.get("items") or []]
    return "\n".join(part for part in parts if part)


def buttons_of(message: Any) -> list[Button]:
    """Every button of a message, in reading order, disabled ones too."""
    return [
        Button(
            label=one.get("label") or "",
            custom_id=one.get("custom_id") or "",
            disabled=bool(one.get("disabled")),
            style=int(one.get("style") or 0),
            emoji=(one.get("emoji") or {}).get("name") or "",
            url=one.get("url") or "",
        )
        for _, one in walk(_components(message))
        if one.get("type") == BUTTON
    ]


def selects_of(message: Any) -> list[Select]:
    """Every select of a message, in reading order, disabled ones too."""
    return [
        Select(
            custom_id=one.get("custom_id") or "",
            placeholder=one.get("placeholder") or "",
            options=tuple(
                Option(option["label"], option["value"], option.get("description") or "")
                for option in one.get("options") or []
            ),
            min_values=1 if one.get("min_values") is None else one["min_values"],
            max_values=1 if one.get("max_values") is None else one["max_values"],
            disabled=bool(one.get("disabled")),
        )
        for _, one in walk(_components(message))
        if one.get("type") in SELECTS
    ]
