# The rules of a table in short.
rules-title = ### Rules · { $table }
    { $title }
rules-topic-setup-title = **The table**
rules-topic-setup = { $seats } seats, { $alone ->
    [1] each player alone
   *[other] { $teams } teams
}.
rules-topic-cards = { $packs } packs and { $jokers ->
    [0] no jokers
   *[other] { $jokers } jokers
}; { $hand } cards each.
rules-topic-target = The game is won at { $target } points.
rules-topic-target-exact = The game is won at exactly { $target } points.
rules-topic-fallback = Who would pass it falls back to { $score }.
rules-topic-values-title = **Values**
rules-topic-wild = Jokers and twos are wild.
rules-topic-value = { $ranks }: { $points }
rules-topic-turn-title = **A turn**
rules-topic-turn = Draw { $draw ->
    [one] a card
   *[other] { $draw } cards
} or take the whole pile; lay melds if you like; discard one card.
rules-topic-red-threes-turn = A red three is laid open at once and replaced.
rules-topic-pile-title = **The pile**
rules-topic-take-any = Its top card must be melded at once: with two cards of its rank, with one and a wild card, or onto a meld of your team.
rules-topic-take-one = Its top card must be melded at once with a card of its rank from your hand, and a second one, a wild card or a meld of your team.
rules-topic-take-pair = Its top card must be melded at once: with two cards of its rank, or onto a meld of your team.
rules-topic-blocked = Under a wild card or a three nobody can take it.
rules-topic-freezing = It is frozen by { $cards } in it: then only two natural cards of the top card's rank take it.
rules-topic-always-frozen = It is always frozen: only two natural cards of the top card's rank take it.
rules-topic-never-frozen = It is never frozen.
rules-topic-frozen-unopened = For a team that has not opened it is frozen too.
rules-topic-unfit-cover = As first cards of the pile, { $cards } are covered by the next.
rules-topic-unfit-return = As first cards of the pile, { $cards } go back into the stock.
rules-topic-class-wild = wild cards
rules-topic-class-red_three = red threes
rules-topic-class-black_three = black threes
rules-topic-melds-title = **Melds**
rules-topic-melds = Three or more cards of one rank, at least { $naturals } of them natural. A team has one meld of a rank.
rules-topic-wilds-limit = At most { $count } wild cards in each.
rules-topic-wilds-free = Any number of wild cards.
rules-topic-canasta = Seven cards are a canasta: natural without wild cards, else mixed.
rules-topic-runs = Seven naturals of one suit in a row, laid at once, are a canasta too.
rules-topic-black-threes-going-out = Black threes are laid only when going out, three or more together.
rules-topic-black-threes-alone = Black threes are laid only when going out with nothing else left.
rules-topic-opening-title = **Opening**
rules-topic-opening = A team's first melds of a round need a minimum in one go, by its score:
rules-topic-opening-below = below { $score }: { $minimum ->
    [0] none
   *[other] { $minimum }
}
rules-topic-opening-top = else { $minimum }
rules-topic-out-title = **Going out**
rules-topic-going-out = It takes { $canastas ->
    [one] a canasta
   *[other] { $canastas } canastas
} of your team, and earns { $points }. Who may not go out keeps a card after discarding.
rules-topic-permission-none = Nobody is asked.
rules-topic-permission-optional = You may ask your partner; the answer binds you.
rules-topic-permission-required = Your partner must be asked and say yes; the answer binds you.
rules-topic-permission-early = Ask after drawing or taking, before other melds.
rules-topic-permission-once = Each player asks at most once a round.
rules-topic-concealed-seat_with_canasta = Concealed, with a canasta, the whole hand laid in one turn by a player who had laid nothing: { $points }.
rules-topic-concealed-team = Concealed, the whole hand laid in one turn by a team that had laid nothing: { $points }.
rules-topic-concealed-seat = Concealed, the whole hand laid in one turn by a player who had laid nothing: { $points }.
rules-topic-concealed-waived = After drawing, it needs no minimum.
rules-topic-stock-title = **Empty stock**
rules-topic-exhausted-must_take = Play goes on with the pile: a top card that fits a meld of your team must be taken; who cannot or will not take ends the round.
rules-topic-exhausted-upcard_alone = Players take the top card alone, and nobody discards; who cannot or will not take ends the round.
rules-topic-exhausted-pile_no_discard = Players take the pile, and nobody discards; who cannot or will not take ends the round.
rules-topic-exhausted-draw_ends = Players may take the pile; drawing ends the round.
rules-topic-last-red-three-end = A red three as the last card of the stock ends it at once.
rules-topic-last-red-three-meld = Who draws a red three as the last card may still lay, then the round ends.
rules-topic-last-red-three-play = A red three as the last card changes nothing.
rules-topic-scoring-title = **Scoring**
rules-topic-scoring = Cards laid count for you, cards left in hand against you.
rules-topic-canastas = Canastas: natural { $natural }, mixed { $mixed }.
rules-topic-run-canastas = Runs: { $points }.
rules-topic-red-threes = Red threes: { $each } each, all { $count } together { $all }.
rules-topic-red-threes-negative = They count against a team that has laid nothing.
