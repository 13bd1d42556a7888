# The private message of one player.
hand-title = ### Your hand · [{ $table }]({ $url })
hand-title-plain = ### Your hand · { $table }
hand-cards = { $cards }
    -# { $count ->
    [one] 1 card
   *[other] { $count } cards
} · { $points } points, which count against { $players ->
    [one] you
   *[other] your team
} if the round ends now
hand-empty = Your hand is empty.
hand-opening = { $players ->
    [one] You need
   *[other] Your team needs
} **{ $minimum }** points in one go to open.
hand-pile = **Pile:** { $count ->
    [one] 1 card, { $card }
   *[other] { $count } cards, { $card } on top
}
hand-pile-empty = **Pile:** empty
hand-pile-blocked = blocked
hand-pile-frozen = frozen for all
hand-pile-frozen-own = frozen for { $players ->
    [one] you until you open
   *[other] your team until it opens
}
hand-stock = **Stock:** { $count ->
    [0] empty
    [one] 1 card
   *[other] { $count } cards
}
hand-melds = **{ $players ->
    [one] Your melds
   *[other] Your team
}:**
hand-no-melds = **{ $players ->
    [one] Your melds
   *[other] Your team
}:** nothing laid yet
hand-your-draw = **Your turn:** draw, or take the pile.
hand-your-draw-only = **Your turn:** draw.
hand-your-must-take = **Your turn:** the stock is empty, and { $card } fits a meld of yours: take the pile.
hand-your-exhausted-must_take = **Your turn:** the stock is empty. Take the pile, or leave it: that ends the round.
hand-your-exhausted-upcard_alone = **Your turn:** the stock is empty. Take the upcard alone, or leave the pile: that ends the round.
hand-your-exhausted-pile_no_discard = **Your turn:** the stock is empty. Take the pile, or leave it: that ends the round.
hand-your-exhausted-draw_ends = **Your turn:** the stock is empty. Take the pile, or draw: that ends the round.
hand-your-leave = **Your turn:** the stock is empty. Leave the pile: that ends the round.
hand-your-last-draw = **Your turn:** the stock is empty. Draw: that ends the round.
hand-why = { $line } ({ $why })
hand-take-one = Take pile: { $way } · { $points } points
hand-blocked = The pile is blocked by { $card }.
hand-needs-frozen = The pile is frozen: to take { $card } you need two { $ranks } from your hand; you hold { $held ->
    [0] none
   *[other] only one
}.
hand-needs-one = To take { $card } you need one { $rank } from your hand; you hold none.
hand-needs-pair = To take { $card } you need two { $ranks }; you hold { $held ->
    [0] none
   *[other] only one
}.
hand-needs-pair-or-wild = To take { $card } you need two { $ranks }, or one { $rank } and a wild card; you hold { $held ->
    [0] none
   *[other] one { $rank } and no wild card
}.
hand-needs-points = To take { $card } { $players ->
    [one] you
   *[other] your team
} must open with it, and of the pile only { $card } counts: so you can lay { $most ->
    [0] nothing
   *[other] { $most } points at most
}.
hand-your-play = **Your turn:** lay melds if you like, then discard.
hand-your-play-only = **Your turn:** discard.
hand-your-play-end = **Your turn:** lay melds if you like, then end the turn.
hand-your-play-end-only = **Your turn:** end the turn.
hand-must-go-out = { $partners ->
    [one] Your partner said
   *[other] Your partners said
} yes: you must go out this turn.
hand-may-not-go-out = { $partners ->
    [one] Your partner
   *[other] A partner
} said no: you may not go out this turn.
hand-asked = **{ $name } asks: may I go out?** Yes binds { $name } to go out this turn, no forbids it.
hand-wait-answer = Nothing can be done until the answer: { $names } must say whether you may go out.
hand-wait = It is { $name }'s turn.
hand-wait-answers = { $name } has asked to go out; all wait for the answer.
hand-round-over = The round is over.
hand-game-over = The game is over.
hand-chosen = Chosen: { $groups } — **{ $total }** points.
hand-chosen-opening = Chosen: { $groups } — **{ $total }** of { $minimum } points.
hand-chosen-ok = Not laid yet: press *Lay ({ $total })*.
hand-unlaid = You chose { $groups } and have not laid them.
hand-unlaid-illegal = { $line } They cannot be laid like this: { $why }
hand-moved = The table has already moved on. This is how it is now:

select-take = Take the pile …
select-lay = Choose melds to lay …
select-lay-more = Choose melds to lay … ({ $part })
select-discard = Discard …
select-discard-more = Discard … ({ $part })
option-take-meld = onto your { $meld }
option-take-with = with { $cards }
option-take-onto = { $cards } onto your { $meld }
option-further = + { $cards }
option-points = { $points } points
option-new = new meld · { $points } points
option-added = onto your { $meld } · { $points } points
button-lay-points = Lay ({ $total })
button-lay-then-discard = Lay, then discard { $card }
button-only-discard = Only discard { $card }
button-back-to-hand = Back
button-end-unlaid = End turn without laying
button-ask = Ask partner
button-decline = Leave the pile
button-end = End turn
button-refresh = Refresh

you-drew = You drew { $cards }.
you-drew-none = You drew.
you-red-three = Red three { $card } lies before { $players ->
    [one] you
   *[other] your team
}.
you-took = You took the pile: { $cards } joined your hand.
you-took-none = You took the upcard.
you-laid = You laid { $cards }.
you-opened = { $players ->
    [one] You have
   *[other] Your team has
} opened with { $laid }.
you-canasta = A canasta of { $meld }!
you-run = A canasta: a { $run }!
you-discarded = You discarded { $card }.
you-asked = You asked { $partners }.
you-answered-yes = You said yes.
you-answered-no = You said no.
you-declined = You left the pile.
you-turn_ended = Your turn is over.
you-taken_back = You took back { $cards }.
you-went_out = You went out!
round-next = Round { $round } is dealt.

# Commands that have nothing to do just now.
hand-nobody-asked = Nobody has asked you anything, so there is nothing to answer.
hand-nothing-to-leave = The pile is left only when the stock is empty, and it is not: there is nothing to leave.
hand-draw-instead = The pile is not left here: with an empty stock, to draw ends the round.
hand-ends-by-discard = Your turn ends with a discard: `/discard`.
