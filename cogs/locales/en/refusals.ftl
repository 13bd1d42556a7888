# Why a move is refused: what was tried, the rule, the numbers. One message a code.
refusal-unknown_action = I cannot read that as a move{ $text ->
    [none] .
   *[other] : “{ $text }”.
} Write cards like `KS KH` or `K K`, and a comma between melds.
refusal-game_over = The game is over.
refusal-round_over = The round is over; *Next round* deals again.
refusal-not_your_turn = It is not your turn: it is { $turn }'s.
refusal-permission_pending = A question is open: nothing can be done until the partner has answered yes or no.
refusal-wrong_phase = That cannot be done at this point of the turn: { $phase ->
    [draw] draw or take the pile first.
    [play] you have drawn already. Lay melds if you like, then discard.
    [no_discard] nobody discards now. Lay melds if you like, then end the turn.
   *[other] something else comes first.
}
refusal-unknown_card = “{ $text }” is no card. Write rank and suit, as `KS`, `10H`, `2D`, `JK` for a joker, or a rank alone: `K`.
refusal-card_not_in_hand = You do not hold { $card } (or not so often).
refusal-stock_empty = The stock is empty: nothing can be drawn.
refusal-must_take = The stock is empty and the upcard fits a meld of your team: you must take the pile.
refusal-pile_empty = The pile is empty.
refusal-pile_blocked = The pile is blocked: with { $upcard } on top nobody can take it.
refusal-pile_frozen = The pile is frozen { $for_all ->
    [0] for your team, which has not opened
   *[other] for all
}: it takes two natural cards of { $upcard }'s rank from the hand, and you offer { $matching ->
    [0] none
    [one] only one
   *[other] { $matching }
}.
refusal-upcard_not_melded = { $upcard } must be melded at once: with cards of its rank, or onto a meld of your team.
refusal-needs_natural = More cards of { $upcard }'s rank from the hand are needed here to take the pile; you offer { $matching ->
    [0] none
    [one] only one
   *[other] { $matching }
}.
refusal-single_card_pile = A pile of one card may not be taken with one card in hand.
refusal-threes_not_meldable = Threes are not melded like that: red threes never, black threes three or more together and only when you go out.
refusal-mixed_ranks = One meld is one rank, and this one mixes { $ranks }. Put a comma between melds.
refusal-wild_only = Jokers and twos alone make no meld. Say which meld they join, as `K: 2D`.
refusal-no_such_meld = Your team has no meld of { $rank } that wild cards could join.
refusal-meld_too_short = A meld has at least three cards; { $cards ->
    [one] this is one card
   *[other] these are { $cards } cards
} of { $rank }.
refusal-too_few_naturals = A meld needs at least { $min_naturals } natural cards; for { $rank } there { $naturals ->
    [one] would be one
   *[other] would be { $naturals }
}.
refusal-too_many_wilds = A meld has at most { $max_wilds } wild cards; { $rank } would have { $wilds }.
refusal-opening_minimum = Your team needs { $minimum } points in one go to open, and these make { $laid }.{ $buried ->
    [none] {""}
   *[other] {" "}Of the pile only the upcard counts, not the { $buried ->
        [one] card
       *[other] { $buried } cards
    } below it.
} Lay more melds in the same move.
refusal-canasta_required = You would be left without a card to keep, which is going out; your team needs { $required ->
    [one] a canasta
   *[other] { $required } canastas
} for that and has { $canastas ->
    [0] none
   *[other] { $canastas }
}.
refusal-permission_refused = Your partner said no: you may not go out this turn, so you must keep a card.
refusal-permission_required = Going out needs your partner's yes first: ask.
refusal-must_go_out = Your partner said yes: you must go out this turn, and after this you could not.
refusal-permission_not_available = Nobody is asked before going out here.
refusal-permission_already_asked = You have asked already.
refusal-permission_too_late = It is too late to ask: { $early ->
    [0] a card must be left to keep after the discard if the answer is no.
   *[other] the question comes right after drawing or taking, before other melds.
}
refusal-cannot_go_out = You could not go out this turn even with a yes, so there is nothing to ask.

legal-now = You can now: { $moves }.
legal-draw = draw
legal-take = take the pile
legal-meld = lay melds
legal-discard = discard
legal-ask = ask your partner
legal-answer = answer yes or no
legal-decline = leave the pile
legal-end = end the turn

rule-tag = -# Rule { $rule }
