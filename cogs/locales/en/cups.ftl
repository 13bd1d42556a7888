# Cups: tournaments of tables.
command-cup = Cups: tournaments where everybody plays the same cards
command-cup-open = Open a cup in this channel, for people to sign up
command-cup-join = Sign up for a cup
command-cup-leave = Sign off; of a running cup: play in no further round
command-cup-start = Start a cup with those who have signed up (for its host)
command-cup-standings = Show the standings of a cup
command-cup-end = Give a cup up (for its host)
option-cup = Number of the cup; without it the one of this channel
option-cup-title = A name for the cup
option-cup-kind = Swiss: people of like standing meet; round robin: everybody partners everybody once
option-cup-rounds = How many rounds: 3 if not said; of a round robin as many as it takes
option-cup-target = Points to win a match; a low target makes short matches

cup-kind-swiss = Swiss
cup-kind-round_robin = Round robin

cup-name = cup { $id }
cup-title = ### Canasta · { $cup }
cup-what = { $profile } · first to { $target } · { $kind }{ $rounds ->
    [0] {""}
    [one] {""} · one round
   *[other] {""} · { $rounds } rounds
}
cup-clock = **Clock** · { $clock } for a turn
cup-clock-none = **No clock** · a turn takes as long as it takes.
cup-host = **Host** · { $name }
cup-how = Sign up alone: partners change with each round. Everybody plays every round, and AI players fill seats that are left over. All tables of a round are dealt the same cards, so each is a closed thread; what counts is how you do against the same seats elsewhere.
cup-goes-on = No round waits for ever: once everybody stays away from a table, AI players go on there after the time of one more turn, or a day if that is shorter. They also play for who leaves the server.
cup-goes-on-none = Without a clock a round waits for everybody; the host can give the seat of somebody who stays away to an AI with `/canasta replace`.
cup-people = { $count ->
    [0] Nobody has signed up yet; a cup takes { $least } people.
    [one] **One has signed up**
   *[other] **{ $count } have signed up**
}
cup-round = **Round { $round } of { $rounds }**
cup-table = **{ $number }** · { $first } against { $second } · { $state }
cup-table-opening = opens
cup-table-playing = plays
cup-table-over = over
cup-pair = { $one } + { $other }
cup-ai = AI
cup-button-standings = Standings
log-create-itself = the cup opened the table
cup-over = All rounds have been played.
cup-ended = The cup was given up.
cup-thread = Cup { $cup } · round { $round } · table { $table }

cup-standings = ### Canasta · { $cup } · standings after round { $round } of { $rounds }
cup-standings-final = ### Canasta · { $cup } · final standings
cup-standings-none = ### Canasta · { $cup }
    { $state }
cup-before-open = People sign up; no round has begun.
cup-before-playing = Round { $round } of { $rounds } { $count ->
    [0] begins.
    [one] · 1 table plays; the standings come when it is over.
   *[other] · { $count } tables play; the standings come when all are over.
}
cup-line = **{ $place }** · { $name } · { $points ->
    [one] 1 point
   *[other] { $points } points
} ({ $margin })
cup-more = -# and { $count } more
cup-formula = -# In each round, for every other table: 2 points when your side's score less the opponents' is greater than that of the same seats there, 1 when it is equal. In brackets: by how much, all together; it decides between equal points. Who has that equal too shares the place. A match that was given up counts as it stood after its last full round.

cup-opened = { $cup } is open: people can sign up in this channel.
cup-joined = You have signed up for { $cup }.
cup-left = You have signed off from { $cup }.
cup-left-running = You play in no further round of { $cup }. At a table that still runs, `/canasta leave` gives your seat to an AI.
cup-started = { $cup } begins: { $count } people.
cup-end-sure-open = Give up { $cup }? { $count ->
    [0] Nobody has signed up.
    [one] One has signed up.
   *[other] { $count } have signed up.
} Nothing can bring it back.
cup-end-sure-playing = Give up { $cup }? { $count ->
    [one] One person is
   *[other] { $count } people are
} in round { $round }. Nothing can bring it back.
cup-button-end = Give up { $cup }
cup-leave-sure = Leave { $cup }? You play in none of its further rounds, and there is no way back in. What you have won stays.
cup-button-leave = Leave { $cup }
cup-given-up = { $cup } was given up. Tables that still run may be played to their end.

problem-unknown_cup = There is no cup { $text } on this server.
problem-no_cup = There is no cup here. `/canasta cup open` opens one.
problem-several_cups = There are several cups: say which with `cup:`.
problem-cup_channel = A cup needs an ordinary text channel, where threads can be made for its tables.

table-no_such_cup = There is no such cup on this server.
table-not_cup_host = Only the host of the cup or a moderator may do that.
table-cup_not_open = Nobody can sign up any more, or start it: the cup has begun, or is over.
table-cup_over = The cup is over.
table-cup_full = The cup is full: { $most } people have signed up.
table-cup_too_few = A cup takes { $least } people; { $there ->
    [0] nobody has
    [one] one has
   *[other] { $there } have
} signed up.
table-already_entered = You have signed up for this cup already.
table-not_entered = You do not take part in this cup.
table-bad_rounds = A cup has between 1 and { $most } rounds.
table-same_packs = You play the same cards at another table of this cup. You can look at this one when the round is over.
permission-create_private_threads = Create Private Threads
