# The private message of one player.
hand-title = ### Your hand · [{ $table }]({ $url })
hand-title-plain = ### Your hand · { $table }
hand-cards = { $cards }
    -# { $count ->
    [one] 1 card
   *[other] { $count } cards
} · { $points } points
hand-empty = Your hand is empty.
hand-opening = { $players ->
    [one] You need
   *[other] Your team needs
} **{ $minimum }** points in one go to open.
hand-your-draw = **Your turn:** draw, or take the pile.
hand-no-take = -# Not the pile: { $why }
hand-your-exhausted-must_take = **Your turn:** the stock is empty. Take the pile; to leave it ends the round.
hand-your-exhausted-upcard_alone = **Your turn:** the stock is empty. Take the upcard alone; to leave it ends the round.
hand-your-exhausted-pile_no_discard = **Your turn:** the stock is empty. Take the pile; to leave it ends the round.
hand-your-exhausted-draw_ends = **Your turn:** the stock is empty. Take the pile; to draw ends the round.
hand-your-play = **Your turn:** lay melds if you like, then discard.
hand-your-play-end = **Your turn:** lay melds if you like, then end the turn.
hand-must-go-out = { $partners ->
    [one] Your partner said
   *[other] Your partners said
} yes: you must go out this turn.
hand-may-not-go-out = { $partners ->
    [one] Your partner
   *[other] A partner
} said no: you may not go out this turn.
hand-asked = **{ $name } asks: may I go out?** Yes binds { $name } to go out this turn, no forbids it.
hand-wait-answer = You asked to go out; the answer is yet to come.
hand-wait = It is { $name }'s turn.
hand-wait-answers = { $name } has asked to go out; all wait for the answer.
hand-round-over = The round is over.
hand-game-over = The game is over.
hand-chosen = Chosen: { $groups } — **{ $total }** points.
hand-chosen-opening = Chosen: { $groups } — **{ $total }** of { $minimum } points.
hand-chosen-ok = Ready to lay.
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
button-ask = Ask partner
button-decline = Do not take
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
you-asked = You asked { $partners }. Nothing can be done until the answer.
you-answered-yes = You said yes.
you-answered-no = You said no.
you-declined = You did not take the pile.
you-turn_ended = Your turn is over.
you-taken_back = You took back { $cards }.
you-went_out = You went out!
round-next = Round { $round } is dealt.
