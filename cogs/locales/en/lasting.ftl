# What the board says of a game that lasts: clocks, people who are away, seats that are open.
board-seat-note = { $line } · { $note }
board-seat-away = away until { $when }
board-seat-kept = an AI keeps the seat
board-seat-owed = out of time: an AI finishes this turn
board-seat-open = whoever likes may take this seat
board-seat-invited = { $who } is invited to this seat
board-clock = ⏳ **{ $name }** has until { $when } ({ $left }); then an AI plays this turn.
board-clock-answer = ⏳ **{ $name }** can answer until { $when } ({ $left }); then an AI answers.
board-clock-away = ⏳ **{ $name }** is away: the clock waits.
board-paused = ⏸️ **Paused** until { $when } ({ $left }). Nobody can move, and no clock runs.
board-rests = 💤 Nobody is here, so the game rests. It goes on with *I am back*.
board-proposal = 🕑 **{ $name }** proposes { $clock } for a turn, instead of { $now }.
board-lost = ⚠️ I cannot write in the channel of this table. `/canasta move` takes it to another.

button-take-seat-number = Take seat { $seat }
button-undo = Undo
button-throw = Discard { $card }
button-keep = Keep

# The hand.
hand-deadline = -# Until { $when } ({ $left }); then an AI plays this turn.
hand-deadline-answer = -# Until { $when } ({ $left }); then an AI answers.
hand-owed = -# Your time is over: an AI is about to finish this turn. What you do before it counts.
hand-paused = ⏸️ The table is paused until { $when } ({ $left }). Nobody can move.
hand-kept = **An AI keeps your seat.** *I am back* takes it up again, and so does any move of yours.
hand-away = You are away until { $when }: your clock waits, and you can move all the same. *I am back* ends it.
hand-throw = Discard { $card }? Your turn is over then.
command-undo = Take back the melds that you laid last in this turn
turn-ping-until = You have until { $when } ({ $left }).
