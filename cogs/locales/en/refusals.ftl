# Why a move is refused: what was tried, the rule, the numbers. One message a code.
refusal-tried = -# { $command }
refusal-unknown_action = { $kind ->
    [discard] One card is discarded, and it is named alone, as `4C` or `4`.
   *[other] I cannot read that as a move{ $text ->
        [none] .
       *[other] : “{ $text }”.
    } Write cards like `KS KH` or `K K`, and a comma between melds.
}
refusal-game_over = The game is over.
refusal-round_over = The round is over; *Next round* deals again.
refusal-not_your_turn = It is not your turn: it is { $turn }'s.
refusal-permission_pending = A question is open: nothing can be done until the partner has answered yes or no.
refusal-wrong_phase = That cannot be done at this point of the turn: { $phase ->
    [draw] draw or take the pile first.
    [empty] the stock is empty, so take the pile or leave it.
    [play] you have drawn already, or taken the pile. Lay melds if you like, then discard.
    [no_discard] nobody discards now. Lay melds if you like, then end the turn.
   *[other] something else comes first.
}
refusal-unknown_card = “{ $text }” is no card. Write rank and suit, as `KS`, `10H`, `2D`, `JK` for a joker, or a rank alone: `K`.
refusal-card_not_in_hand = { $holding ->
    [none] You do not hold { $card }, or not so often.
   *[other] You hold { $holding }{ $wanted ->
        [none] .
       *[other] , and this takes { $wanted }.
    }
}
refusal-threes = Red threes are never melded. { $black }
refusal-stock_empty = The stock is empty: nothing can be drawn.
refusal-must_take = The stock is empty and the upcard fits a meld of your team: you must take the pile.
refusal-pile_empty = The pile is empty.
refusal-pile_blocked = The pile is blocked: with { $upcard } on top nobody can take it.
refusal-pile_frozen = The pile is frozen { $for_all ->
    [0] for your team, which has not opened
   *[other] for all
}: { $upcard } takes { $needed } from your hand, and you offer { $matching }.
refusal-upcard_not_melded = { $offered ->
    [none] { $upcard } goes with nothing that you offer for it.
    [nothing] You offer no cards for { $upcard }, and your team has no meld that it fits.
   *[other] { $offered } does not go with { $upcard }.
} { $rule }
refusal-needs_natural = Here { $upcard } takes { $needed } from your hand, and you offer { $matching }.
refusal-single_card_pile = A pile of one card may not be taken with one card in hand.
refusal-threes_not_meldable = Threes are not melded like that. Red ones never are. { $black }
refusal-mixed_ranks = One meld is one rank, and this one mixes { $ranks }. { $run ->
    [0] Put a comma between melds.
   *[other] There are no runs here; between melds stands a comma.
}
refusal-wild_only = Jokers and twos alone make no meld. Say which meld they join, as `K: 2D`.
refusal-no_such_meld = Your team has no meld of { $rank } that wild cards could join.
refusal-meld_too_short = { $wilds ->
    [0] { $holding } { $cards ->
        [one] is
       *[other] are
    } too few
   *[other] { $cards ->
        [one] One card is
       *[other] { $cards } cards are
    } too few for a meld of { $rank }
}: a meld takes three at least.
refusal-too_few_naturals = A meld needs at least { $min_naturals } natural cards; this would have { $holding }, and the rest wild cards.
refusal-too_many_wilds = A meld has at most { $max_wilds } wild cards; that of { $rank } would have { $wilds }.
refusal-opening_minimum = Your team needs { $minimum } points in one go to open, and these make { $laid }.{ $buried ->
    [none] {""}
   *[other] {" "}Of the pile only the upcard counts, not the { $buried ->
        [one] card
       *[other] { $buried } cards
    } below it.
}
refusal-canasta_required = A card must be left to you at the end of your turn, and this leaves none. That is going out, for which your team needs { $required ->
    [one] a canasta
   *[other] { $required } canastas
}: it has { $canastas ->
    [0] none
   *[other] { $canastas }
}.
refusal-permission_refused = Your partner said no. At the end of your turn a card must be left to you, and this leaves none: lay less.
refusal-permission_required = This leaves you no card at the end of your turn. That is going out, and needs your partner's yes first.
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
legal-take-with = take the pile with { $ways }
legal-meld = lay melds
legal-discard = discard
legal-ask = ask your partner
legal-answer = answer yes or no
legal-decline = leave the pile
legal-end = end the turn

rule-tag = -# Rule: { $topic } (`/rules`)

# What would work instead.
advice-ways = What works: { $ways }.
advice-ways-more = What works, among others: { $ways }.
advice-way = { $command }
advice-way-points = { $command } ({ $points } points)
advice-most = { $keep ->
    [0] All that you could lay makes { $most } at most.
    [one] A card must stay in your hand: what you may lay makes { $most } at most.
   *[other] Two cards must stay in your hand, one of them to discard: what you may lay makes { $most } at most.
}
advice-most-take = All that you could lay with it makes { $most } at most.
advice-no-take = Nothing that you hold takes it now.

# Cards by number and name: two kings.
some-cards = { $number } { $cards }
number-none = none
number-word = { $count ->
    [0] no
    [1] one
    [2] two
    [3] three
    [4] four
    [5] five
    [6] six
   *[other] { $count }
}
of-rank-a = { $count ->
    [one] ace
   *[other] aces
}
of-rank-k = { $count ->
    [one] king
   *[other] kings
}
of-rank-q = { $count ->
    [one] queen
   *[other] queens
}
of-rank-j = { $count ->
    [one] jack
   *[other] jacks
}
of-rank-t = { $count ->
    [one] ten
   *[other] tens
}
of-rank-9 = { $count ->
    [one] nine
   *[other] nines
}
of-rank-8 = { $count ->
    [one] eight
   *[other] eights
}
of-rank-7 = { $count ->
    [one] seven
   *[other] sevens
}
of-rank-6 = { $count ->
    [one] six
   *[other] sixes
}
of-rank-5 = { $count ->
    [one] five
   *[other] fives
}
of-rank-4 = { $count ->
    [one] four
   *[other] fours
}
of-rank-3 = { $count ->
    [one] three
   *[other] threes
}
of-rank-2 = { $count ->
    [one] two
   *[other] twos
}
of-rank-jk = { $count ->
    [one] joker
   *[other] jokers
}
