# Score sheets. Lines of a sheet have at most 17 characters: they stand in columns.
score-melded = Melded cards
score-in_hand = Left in hand
score-natural_canastas = Natural canastas
score-mixed_canastas = Mixed canastas
score-run_canastas = Runs
score-red_threes = Red threes
score-going_out = Going out
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
} · opens with { $minimum }
score-none = No round is over yet.
