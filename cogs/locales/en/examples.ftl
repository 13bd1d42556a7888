# Worked examples of the rules: small positions, and what comes of each move in them.
rules-scene-hand = You hold { $cards }.
rules-scene-melds = Your team has { $melds }.
rules-scene-pile = { $count ->
    [one] The pile is { $cards }.
   *[other] The pile is { $cards }, the last on top.
}
rules-scene-red-threes-lie = Red threes: { $cards }.
rules-scene-no-stock = The stock is empty.
rules-scene-partner-yes = Your partner has said yes.
rules-scene-accepted = ✓ Allowed: { $tried }. { $more }
rules-scene-accepted-then = ✓ Then { $tried }. { $more }
rules-scene-refused = ✗ Refused: { $tried }. { $more }
rules-scene-refused-then = ✗ Then refused: { $tried }. { $more }
rules-scene-says-yes = Your partner at seat { $seat } says yes.
rules-scene-says-no = Your partner at seat { $seat } says no.
rules-scene-over = The round is over.

action-draw = draw
action-take = take the pile with { $cards }
action-take-further = take the pile with { $cards }, and lay { $further }
action-take-meld = take the pile onto your meld
action-take-meld-further = take the pile onto your meld, and lay { $further }
action-meld = lay { $cards }
action-discard = discard { $card }
action-ask = ask your partner
action-decline = leave the pile
action-end = end the turn
action-answer = answer

# Closing words of the examples.
rules-scene-deal = Of { $cards } cards, { $seats } hands of { $hand } are dealt and one card is turned to begin the pile; { $left } are left as the stock.
rules-scene-values = { $king } + { $king } + { $two }: these three cards make **{ $total }** points.
rules-scene-turn = You have { $cards } cards left, and the turn passes on to the left.
rules-scene-run-short = Six in a row are no run yet.
rules-scene-run = { $cards } for the cards and { $bonus } for the run: **{ $total }**.
rules-scene-canasta-natural = { $cards } for the cards and { $bonus } for the natural canasta: **{ $total }**.
rules-scene-canasta-mixed = { $cards } for the cards and { $bonus } for the mixed canasta: **{ $total }**.
rules-scene-red-threes-negative = With the other one your team has, that makes { $total }; had the team melded nothing by the end of the round, it would be { $without }.
rules-scene-red-threes-positive = With the other one your team has, that makes { $total }; had the team melded nothing by the end of the round, it would be { $without } all the same.
rules-scene-opening = With { $score } points your team needs { $minimum ->
    [0] no minimum
   *[other] { $minimum }
} to open.
rules-scene-going-out = Going out earns { $points }.
rules-scene-partner-holds = { $count ->
    [one] Your partner holds { $card }.
   *[other] Your partners hold { $card } each.
}
rules-scene-score-melded = { $points } for the cards laid
rules-scene-score-in_hand = { $points } for cards in hand
rules-scene-score-natural_canastas = { $points } for { $count ->
    [one] the natural canasta
   *[other] natural canastas
}
rules-scene-score-red_threes = { $points } for red threes
rules-scene-score-going_out = { $points } for going out
rules-scene-score = { $lines }: this round makes **{ $total }**.
rules-scene-end-before = Your team had { $score } points before this round.
rules-scene-end-wins = The round makes { $total }, and with **{ $after }** your team wins, if no other has as many or more.
rules-scene-end-hits = The round makes { $total }, and with exactly **{ $after }** your team wins.
rules-scene-end-falls = The round makes { $total }, which would be { $sum }: too many, so your team falls back to **{ $after }**.
