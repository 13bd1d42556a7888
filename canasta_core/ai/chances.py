"""How likely a hidden hand is to hold cards of a rank."""


def at_least(number: int, copies: int, hand: int, hidden: int) -> float:
    """Chance that a hand of `hand` among `hidden` unseen cards holds one or two (`number`) of `copies`.

    Taken as independent draws: good enough to weigh a discard by.
    """
    if copies < number or hidden <= 0:
        return 0.0
    share = min(1.0, hand / hidden)
    none: float = (1.0 - share) ** copies
    if number == 1:
        return 1.0 - none
    one: float = copies * share * (1.0 - share) ** (copies - 1)
    return max(0.0, 1.0 - none - one)
