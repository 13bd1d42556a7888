# Short messages about clocks and seats.
reminder = { $mention } — your turn at { $table } runs out { $when }. If you do not move, an AI finishes this one turn for you.
reminder-answer = { $mention } — the time to answer at { $table } runs out { $when }. If you do not answer yes or no, an AI answers for you.
stand-in = { $mention } — the clock ended three of your turns in a row, so an AI keeps your seat at { $table } for now. It is yours again whenever you say so.
proposal = **{ $name }** proposes another clock at { $table }: **{ $clock }** a turn.
proposal-open = Still to agree: { $names }
proposal-kept = **{ $name }** kept the clock at { $table }: **{ $clock }** a turn ({ $by } had proposed { $asked }).
proposal-agreed = All agreed on { $by }'s clock at { $table }: **{ $clock }** a turn.
proposal-set = **{ $name }** has set the clock at { $table }: **{ $clock }** a turn ({ $by } had proposed { $asked }).
proposal-lapsed = The clock that { $by } proposed at { $table } ({ $asked }) is off. The clock stays: **{ $clock }** a turn.
invite = { $mention } — you are invited to seat { $seat } at { $table }: you would play on { $what }.
invite-open = Seat { $seat } at { $table } is open: whoever takes it plays on { $what }.
invite-for = for { $name }, who no longer plays
invite-for-kept = for { $name }, who did not come back so far
invite-for-ai = for { $name }
invite-team = team { $team } with { $names }
left = { $name } left { $table }; { $ai } plays seat { $seat }.
left-host = { $name } is the host now.
replaced = { $mention } — { $by } ({ $role ->
    [host] host
   *[moderator] moderator
}) gave your seat { $seat } at { $table } to an AI player.
replaced-taken = { $mention } — { $by } took your seat { $seat } at { $table }, which an AI had kept for you.
moved = { $table } has moved to { $channel }.

button-back = I am back
button-agree = Agree
button-keep-clock = Keep as it is
button-take-seat = Take the seat

clock-none = no limit

# A table whose channel cannot be reached.
told-elsewhere = -# I tell you here because I cannot use { $channel }: { $why } The game goes on: commands with `table:{ $number }` work in any channel of the server, and `/canasta move table:{ $number }` brings { $table } to the channel where you type it.
lost-deleted = it was deleted.
lost-access = I am not allowed to see it or to write there.
lost-locked = it is a locked thread.
lost-server = I am no longer on the server.
lost-refused = Discord takes no messages there.

permission-read_message_history = Read Message History
permission-create_public_threads = Create Public Threads
permission-manage_threads = Manage Threads
