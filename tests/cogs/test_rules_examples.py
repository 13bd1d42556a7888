"""No example of the rules can be wrong: the engine plays every one of them, for every table there can be."""

import random
import re
from dataclasses import replace

import pytest
from fluent.runtime import FluentResource

from canasta_core.profiles import load_rules, profile_ids
from canasta_core.refusals import Code
from canasta_core.rules import (
    BlackThrees,
    CardClass,
    Concealed,
    Exhausted,
    LastRedThree,
    Permission,
    Rules,
    TakeWay,
)
from canasta_core.state import Phase
from cogs.ui.rules_differences import difference_text, differences
from cogs.ui.rules_examples import examples, proved
from cogs.ui.rules_scenes import Scene, WrongExampleError
from cogs.ui.rules_text import rules_layout
from cogs.ui.rules_topics import TOPIC_OF, Topic, sentences, topics_of
from cogs.ui.text import LOCALES, languages
from tests.cogs.layouts import check
from tests.soak.rounds import every_table

TABLES = list(every_table())


def named(rules: Rules) -> str:
    return " ".join([rules.profile, str(rules.seats), *(f"{name}={value}" for name, value in rules.options)])


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("rules", TABLES, ids=named)
def test_the_engine_bears_out_every_example(rules: Rules, language: str) -> None:
    for topic in topics_of(rules):
        found = proved(language, rules, topic)
        assert found, topic
        for example in found:
            assert "{" not in example.situation + "".join(example.lines)
        assert found == examples(language, rules, topic)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("rules", TABLES, ids=named)
def test_every_topic_fits_into_a_message(rules: Rules, language: str) -> None:
    name = "table 999999999999999999"
    for topic in (None, *Topic):
        said = check(
            rules_layout(language, rules, name, table=10**18 - 1, topic=topic, said="x" * 2000, seated=True)
        )
        assert "…" not in said.replace("x…", ""), f"{topic} is cut"


@pytest.mark.parametrize("seed", range(150))
def test_rules_of_a_profile_to_come_have_true_examples_too(seed: int) -> None:
    """Knobs as no profile has them yet: the numbers follow them."""
    rng = random.Random(seed)
    values = [0, 0, *(rng.randrange(1, 8) * 5 for _ in range(14))]
    base = load_rules(rng.choice(profile_ids()))
    freezing = tuple(kind for kind in CardClass if rng.random() < 0.4)
    rules = replace(
        base,
        values=tuple(values),
        draw=rng.choice((1, 2, 3)),
        freezing=freezing,
        always_frozen=rng.random() < 0.2,
        frozen_unopened=rng.random() < 0.5,
        take=rng.choice(list(TakeWay)),
        max_wilds=rng.choice((None, 1, 2, 3, 5)),
        runs=rng.random() < 0.5,
        black_threes=rng.choice(list(BlackThrees)),
        opening_below=((0, rng.choice((0, 15))), (1500, rng.choice((35, 60)))),
        opening_top=rng.choice((90, 110)),
        canastas_to_go_out=rng.choice((1, 2, 3)),
        permission=rng.choice(list(Permission)),
        ask_before_melds=rng.random() < 0.5,
        ask_once_a_round=rng.random() < 0.5,
        concealed=rng.choice(list(Concealed)),
        waive_minimum=rng.random() < 0.5,
        last_red_three=rng.choice(list(LastRedThree)),
        exhausted=rng.choice(list(Exhausted)),
        natural_canasta=725,
        mixed_canasta=425,
        run_canasta=615,
        going_out=135,
        going_out_concealed=265,
        red_three=145,
        red_threes_all=905,
        red_threes_negative=rng.random() < 0.5,
        target=7000,
        exact_target=rng.random() < 0.5,
    )
    for topic in topics_of(rules):
        assert proved("en", rules, topic), topic
        check(rules_layout("en", rules, "table 1", topic=topic, said="x" * 2000))
    told = " ".join(
        line
        for topic in (Topic.CANASTAS, Topic.SCORING)
        for one in proved("en", rules, topic)
        for line in one.lines
    )
    assert "725 for the natural canasta" in told
    assert "425 for the mixed canasta" in told
    assert "135 for going out" in told


def test_what_the_engine_does_not_bear_out_is_no_example() -> None:
    rules = load_rules("classic")
    scene = Scene("en", rules, "KS KH 2D 2H 4C", melds=["7S 7H 7D"])
    with pytest.raises(WrongExampleError, match="came nothing"):
        scene.tries("meld KS KH 2D", Code.TOO_FEW_NATURALS)
    with pytest.raises(WrongExampleError, match="too_few_naturals"):
        scene.is_refused("meld KS 2D 2H", Code.PILE_FROZEN)
    with pytest.raises(WrongExampleError, match="expected 5, the engine says 6"):
        scene.proves(5, 6)
    with pytest.raises(WrongExampleError, match="in the pack"):
        Scene("en", load_rules("canastra", None, {"two_pack": True}), "JK 4C")


def test_a_wrong_example_is_logged_and_not_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> list[Scene]:
        raise WrongExampleError("no")

    monkeypatch.setattr("cogs.ui.rules_examples._SCENES", {Topic.PILE: broken})
    assert examples("en", load_rules("classic"), Topic.PILE) == []
    assert "no example of pile" in caplog.text


def test_an_example_shows_what_there_is() -> None:
    rules = load_rules("salon", 4)
    scene = Scene(
        "en", rules, "KS KH 4C", melds=["7S 7H 7D"], pile="9C KD", stock="", phase=Phase.DRAW, red_threes="3H"
    )
    for part in ("4♣", "7♠", "9♣", "3♥", "stock is empty"):
        assert part in scene.situation.replace("\N{VARIATION SELECTOR-15}", "").replace(
            "\N{NO-BREAK SPACE}", " "
        )


def test_every_refusal_has_its_topic_and_every_topic_its_words() -> None:
    assert set(TOPIC_OF) == set(Code)
    for rules in TABLES:
        for topic in topics_of(rules):
            assert sentences("en", rules, topic)
            assert len(set(sentences("en", rules, topic))) == len(sentences("en", rules, topic))


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("name", ["rules.ftl", "examples.ftl"])
def test_no_number_is_written_by_hand(language: str, name: str) -> None:
    """What a profile could change comes from its Rules; ranks are named, and nothing else has a digit."""
    content = (LOCALES / language / name).read_text(encoding="utf-8")
    assert FluentResource(content).body
    content = re.sub(r"\[\d+\]|^#.*$", "", content, flags=re.MULTILINE)
    content = content.replace("from 4 to ace", "").replace("black 3", "")
    for key, _, words in (line.partition(" = ") for line in content.splitlines()):
        assert not re.search(r"\d", words), key


def test_differences_tell_what_an_option_changes_and_nothing_else() -> None:
    base = load_rules("canastra")
    assert differences("en", base, base) == []
    frozen = load_rules("canastra", None, {"freeze": "always"})
    (one,) = differences("en", base, frozen)
    assert one.topic is Topic.FREEZING
    assert "always frozen" in difference_text("en", one)
    back = difference_text("en", differences("en", load_rules("canastra", None, {"real": True}), base)[0])
    assert "No longer" in back
    for rules in TABLES:
        default = load_rules(rules.profile, rules.seats if rules.packs == 2 else None)
        # Where nobody has a partner, nobody is asked anyway.
        told = [name for name, _ in rules.options if name != "permission" or rules.has_partners]
        assert bool(differences("en", default, rules)) == bool(told), named(rules)
