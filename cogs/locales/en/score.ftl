# What a score is made of.
score-melded = Melded cards
score-in_hand = Left in hand
score-natural_canastas = Natural canastas
score-mixed_canastas = Mixed canastas
score-run_canastas = Runs
score-red_threes = Red threes
score-going_out = Going out

# The same in columns, three teams beside each other on a phone: at most 10 characters each.
sheet-melded = Melded
sheet-in_hand = In hand
sheet-canastas = Canastas
sheet-natural_canastas = {" "}natural
sheet-mixed_canastas = {" "}mixed
sheet-run_canastas = {" "}runs
sheet-red_threes = Red threes
sheet-going_out = Going out
score-total = This round
score-before = Before
score-after = Total
score-round = Round

score-legend = **{ $letter }** · { $team }
score-round-title = ### Round { $round } is over
    { $reason }
score-game-title = ## { $winner } { $players ->
    [one] wins
   *[other] win
}!
    With { $score } points, after { $rounds ->
    [one] one round
   *[other] { $rounds } rounds
} at { $table }.
score-title = ### Score · { $table }
score-line = **{ $team }** — { $score } · { $missing ->
    [0] target reached
   *[other] { $missing } to go
} · opens with { $minimum ->
    [0] any meld
   *[other] { $minimum }
}
score-line-won = **{ $team }** — { $score } · won
score-line-over = **{ $team }** — { $score }
score-heading = **Round { $round }**
score-went-out = { $team } went out.
score-fall = **{ $letter }** would have { $passed }: past { $target }, and so falls back to { $score }.
score-none = No round is over yet.
