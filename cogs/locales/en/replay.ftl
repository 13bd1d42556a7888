# A finished round, step by step.
command-replay = Go through a finished round step by step
option-round = Number of the round
option-file = A record that /history export gave
option-table-played = Which table; the last one that you played, if you leave it out

replay-title = ### Replay · { $name }
    { $title } · round { $round } of { $rounds } · step { $step } of { $last } · { $side ->
    [open] all hands open
   *[public] as the table saw it
}
replay-file = a record
replay-told = { $line }
replay-drawn = -# Drawn: { $cards }
replay-jump = Jump to a turn
replay-turn = Turn { $number } · { $name }
replay-turns-before = ↑ Turns { $first } to { $last }
replay-turns-after = ↓ Turns { $first } to { $last }
replay-choose-round = Another round
replay-round = Round { $round }
replay-choice = { $table } · { $title } · { $rounds ->
    [one] one round
   *[other] { $rounds } rounds
} over, still playing
button-step-first = First
button-step-back = Back
button-step-on = Next
button-step-turn = Next turn
button-step-last = End
button-side-open = Show all hands
button-side-public = Hide the hands
button-fair = Check the shuffle

problem-no_such_round = That game has { $rounds ->
    [one] one finished round
   *[other] { $rounds } finished rounds
}: there is no round { $round } to look at.
problem-table_and_file = Name a table with `table:`, or attach a record with `file:`, not both.
problem-nothing_played = You have played no round to its end on this server yet. Name another table with `table:`; its number stands on its board.
problem-file_too_big = That file has { $size } bytes. A record has at most { $most }.
problem-file_unreadable = That file could not be read. A record is plain text (UTF-8), as `/history export` gives it.
problem-file_gone = I do not keep attached records, and have forgotten this one. Use `/replay` with the file again.

table-no_record = No round of { $table } is over yet.
table-still_played = The game at { $table } still runs. Its packs can be dealt again when it is over.
table-packs_in_play = The packs of this game are being dealt again at table { $where }. Until that is over, its record stays closed to everybody.
table-knows_packs = { $name } knows the packs that are dealt at this table, from the earlier game or from its record, and so cannot sit down.

# Why a text is no record, or not a true one. The line is where it happens.
record-not_a_record = This is no record of a game: line { $line } is not what a record has there.
record-newer_format = This record is of a newer format ({ $found }) than I can read ({ $known }).
record-too_long = This text is too long for a record: { $length } characters.
record-bad_header = Line { $line } of the record’s header cannot be read: “{ $text }”.
record-bad_rules = The rules in the record’s header (up to line { $line }) are none that can be played.
record-bad_step = Line { $line } is no step of a game: “{ $text }”.
record-bad_pack = Line { $line }: the pack of round { $round } does not have the cards of this table.
record-refused = Line { $line }: the rules refuse “{ $text }” ({ $refusal }).
record-wrong_position = Line { $line }: after “{ $text }” the cards do not lie as the record says. Something was changed there, or before it.
record-broken_promise = Line { $line }: pack and salt of round { $round } do not give the hash that was promised.
record-no_promise = Line { $line }: the pack of round { $round } has no salt or no promise.
record-wrong_score = Line { $line }: the score after round { $round } is { $found }, not { $expected }.
