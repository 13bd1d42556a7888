# Whether the cards were shuffled fairly.
command-fair = Check that the cards of a table were shuffled fairly
fair-title = ### Fair shuffling · { $table }
fair-promise = Before the first move of each round I publish a promise: a hash of the shuffled pack and a secret salt, which no other pack gives. When the round is over, pack and salt are public too, so that anybody can hash them again.
fair-kept = I have just done so: the lots and { $count ->
    [one] the one finished round give
   *[other] all { $count } finished rounds give
} exactly what was promised, so no card has been moved since.
fair-broken = ⚠️ I have just done so, and { $count ->
    [one] one shuffle does not give what was promised (round { $rounds }; 0 is the lots)
   *[other] { $count } shuffles do not give what was promised (rounds { $rounds }; 0 is the lots)
}: somebody has changed what is stored.
fair-running = **Round { $round }** is being played. Its promise, from before its first move:
    `{ $promise }`
fair-round = **{ $round ->
    [0] Lots for the first deal
   *[other] Round { $round }
}** · promise
    `{ $promise }`
    To check it without me, run this. The whole game: `/history export`, then `python -m canasta_core.record FILE`.
fair-option = { $round ->
    [0] Lots for the first deal
   *[other] Round { $round }
}
fair-choose = Another round
