"""The promise that binds a shuffle before the first move, and how anybody checks it afterwards."""

import hashlib
import hmac

from canasta_core.actions import Deal, DrawLots, write_action


def commitment(salt: str, action: DrawLots | Deal) -> str:
    """The hash that is public from the start, and that salt and pack, public afterwards, must give.

    SHA-256, in hex, of the UTF-8 text `SALT ACTION`: the salt, one space, and the action in canonical
    notation (`deal KS 4H …`: the cards in the order in which they leave the pack; for rules that put
    an unfit upcard back, then ` | ` and the random places). So anyone can check it with

        printf '%s' 'SALT deal KS 4H …' | sha256sum

    The salt keeps the hash from being tried out against hands seen during the round.
    """
    return hashlib.sha256(f"{salt} {write_action(action)}".encode()).hexdigest()


def is_kept(promise: str, salt: str, action: DrawLots | Deal) -> bool:
    """Whether salt and pack are those that were promised."""
    return hmac.compare_digest(promise, commitment(salt, action))
