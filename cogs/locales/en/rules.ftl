# The rules of a table, by topic. Every number is one of its own rules.
rules-title = ### Rules · { $table }
    { $title }
rules-topic-heading = **{ $topic }**
rules-overview-line = **{ $topic }.** { $sentences }
rules-select = Choose a topic …
rules-differs = **{ $topic }.** { $sentences }
rules-differs-without = No longer: { $sentences }
rules-example = **Example.** { $situation }
rules-no-topic = There is no such topic here. This is the overview.
rules-last-refused = **Your last refused move:** { $action }
    { $reason }
rules-why = **Why?** { $reason }
button-why = Why?
button-overview = Overview

rules-topic-title-table = The table
rules-topic-title-values = Values
rules-topic-title-turn = A turn
rules-topic-title-pile = Taking the pile
rules-topic-title-freezing = The frozen pile
rules-topic-title-melds = Melds
rules-topic-title-runs = Runs
rules-topic-title-canastas = Canastas
rules-topic-title-black_threes = Black threes
rules-topic-title-red_threes = Red threes
rules-topic-title-opening = Opening
rules-topic-title-going_out = Going out
rules-topic-title-permission = Asking the partner
rules-topic-title-concealed = Going out concealed
rules-topic-title-stock = The empty stock
rules-topic-title-scoring = Scoring
rules-topic-title-end = End of the game

rules-topic-setup = { $seats } seats, { $alone ->
    [1] each player alone, a team of one
   *[other] { $teams } teams
}.
rules-topic-teams = The teams by seat: { $teams }.
rules-topic-teams-join = {" "}against{" "}
rules-topic-dealer = Lots decide who deals first, then the deal passes on to the left; who sits to the left of the dealer begins.
rules-topic-cards = { $packs } packs and { $jokers ->
    [0] no jokers
   *[other] { $jokers } jokers
}; { $hand } cards each.
rules-topic-target = The game is won at { $target } points.
rules-topic-target-exact = The game is won at exactly { $target } points.

rules-topic-wild = { $jokers ->
    [0] Twos
   *[other] Jokers and twos
} are wild: they stand for any card but a three.
rules-topic-values = Points of the cards: { $values }.
rules-topic-value = { $ranks }: { $points }
rules-topic-black-three = black 3
rules-topic-values-join = {" "}·{" "}
rules-topic-natural = All others from 4 to ace are natural.

rules-topic-turn = Draw { $draw ->
    [one] a card
   *[other] { $draw } cards
} or take the whole pile; lay melds if you like; discard one card.
rules-topic-turn-last = The discard ends the turn. Only who melds the last card needs none.
rules-topic-turn-stays = What has been laid stays where it lies.

rules-topic-take-any = The top card of the pile must be melded at once: with two cards of its rank from your hand, with one and a wild card, or onto a meld of your team.
rules-topic-take-one = The top card of the pile must be melded at once with at least one card of its rank from your hand, and a second one, a wild card or a meld of your team.
rules-topic-take-pair = The top card of the pile must be melded at once: with two cards of its rank from your hand, or onto a meld of your team.
rules-topic-take-rest = Then the rest of the pile joins your hand. Where your team has a meld of the rank, the top card goes onto it.
rules-topic-blocked = Under a wild card or a black three nobody can take it.
rules-topic-single-card = A pile of one card cannot be taken with a single card in hand.
rules-topic-unfit-cover = The pile does not begin with { $cards }: the next card covers them.
rules-topic-unfit-return = The pile does not begin with { $cards }: they go back into the stock, and another card is turned.
rules-topic-class-wild = wild cards
rules-topic-class-red_three = red threes
rules-topic-class-black_three = black threes

rules-topic-freezing = The pile is frozen for all by { $cards } in it: then only two natural cards of the top card's rank, from the hand, take it.
rules-topic-always-frozen = The pile is always frozen: only two natural cards of the top card's rank, from the hand, take it.
rules-topic-never-frozen = Nothing in the pile freezes it.
rules-topic-frozen-unopened = For a team that has not opened, it is frozen in any case.
rules-topic-thaw = Taking the pile ends the freeze.

rules-topic-melds = Three or more cards of one rank from 4 to ace, at least { $naturals } of them natural.
rules-topic-wilds-limit = At most { $count } wild cards in each.
rules-topic-wilds-free = Any number of wild cards.
rules-topic-one-meld = Melds belong to the team, which has one of each rank: more cards of the rank join it. Nothing can be added to those of others.
rules-topic-wilds-alone = Wild cards alone are no meld.
rules-topic-runs = Seven natural cards of one suit in a row, from 4 to ace, are a canasta too, worth { $points }.
rules-topic-runs-whole = A run is laid complete from the hand, and nothing is added to it later.
rules-topic-runs-none = There are no runs here: a meld is of one rank.
rules-topic-canastas = Seven cards of a rank are a canasta: natural { $natural }, mixed { $mixed }.
rules-topic-canastas-grow = A mixed one has wild cards in it. More cards can be added; a wild card makes a natural one mixed.

rules-topic-black-threes-going-out = Black threes are laid only in the move that goes out: three or more together, without wild cards, and with one card left at most to discard.
rules-topic-black-threes-alone = Black threes are laid only in the move that goes out: three or more together, without wild cards, and when nothing but black threes is left.
rules-topic-black-threes-block = On top of the pile a black three blocks it for the next player.
rules-topic-red-threes-turn = A red three is laid open at once and replaced from the stock.
rules-topic-red-threes = Each counts { $each }, all { $count } with one team { $all }.
rules-topic-red-threes-negative = They count against a team that has melded nothing.
rules-topic-red-threes-positive = They count for a team that has melded nothing, too.
rules-topic-red-threes-pile = One that comes with the pile is laid open, but not replaced.

rules-topic-opening = A team's first melds of a round must reach a minimum in one move.
rules-topic-opening-steps = It goes by the team's score: { $steps }.
rules-topic-opening-below = below { $score }: { $minimum ->
    [0] none
   *[other] { $minimum }
}
rules-topic-opening-top = else { $minimum }
rules-topic-opening-counts = Only the values of the cards laid count, no bonuses; of a pile taken to open, only the top card.

rules-topic-going-out = It takes { $canastas ->
    [one] a canasta
   *[other] { $canastas } canastas
} of your team, and earns { $points }.
rules-topic-going-out-how = Lay all your cards, or all but one and discard that. A canasta made in the same move counts.
rules-topic-keep-a-card = Who may not go out must keep a card after the discard.
rules-topic-permission-none = Nobody is asked before going out.
rules-topic-permission-optional = You may ask your partner whether to go out.
rules-topic-permission-required = Without your partner's yes you may not go out.
rules-topic-permission-binds = The answer binds: yes, and you must go out this turn; no, and you may not.
rules-topic-permission-several = All partners are asked; the first no is a no.
rules-topic-permission-early = Ask after drawing or taking, before further melds.
rules-topic-permission-late = Ask at any time after drawing or taking, once a turn.
rules-topic-permission-once = Each player asks at most once a round.
rules-topic-concealed-seat_with_canasta = Who has melded nothing in this round and lays the whole hand in one turn, with a canasta in it and nothing added to older melds, earns { $points }.
rules-topic-concealed-team = Who lays the whole hand in one turn, when the team had melded nothing before it, earns { $points }.
rules-topic-concealed-seat = Who has melded nothing in this round and lays the whole hand in one turn earns { $points }.
rules-topic-concealed-waived = After drawing it needs no opening minimum; after taking the pile it does.
rules-topic-concealed-minimum = The opening minimum holds for it too.
rules-topic-concealed-none = It earns no more than any going out: { $points }.

rules-topic-exhausted-must_take = Play goes on with the pile alone: a top card that fits a meld of your team must be taken, another may be; who cannot or will not take ends the round.
rules-topic-exhausted-upcard_alone = Players take the top card alone and meld it, and nobody discards; who cannot or will not take ends the round.
rules-topic-exhausted-rest = The rest of the pile stays where it is.
rules-topic-exhausted-pile_no_discard = Players take the whole pile, and nobody discards; who cannot or will not take ends the round.
rules-topic-exhausted-draw_ends = Players may still take the pile; who draws ends the round.
rules-topic-last-red-three-end = A red three as the last card of the stock ends the round at once.
rules-topic-last-red-three-meld = Who draws a red three as the last card of the stock may still lay melds, without a discard; then the round ends.
rules-topic-last-red-three-play = A red three as the last card of the stock changes nothing.
rules-topic-nobody-stuck = Where a player has no legal move left, the round ends.

rules-topic-scoring = Cards laid count for the team, cards left in its hands against it.
rules-topic-scoring-more = Canastas, red threes and going out are added.
rules-topic-end = A round is always finished; then, of the teams that have reached the target, the best one wins.
rules-topic-end-exact = A round is always finished; then a team that stands on the target exactly wins.
rules-topic-fallback = A team that would pass { $target } falls back to { $score }.
rules-topic-end-tie = When the best teams are level, another round is played.
