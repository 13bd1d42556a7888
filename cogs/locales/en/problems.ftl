# What a table refuses.
table-no_such_table = There is no such table here.
table-table_ended = That table is over.
table-link = [{ $table }]({ $url })
table-not_started = The game at { $table } has not started yet.{ $host ->
    [none] {""}
   *[other] {" "}{ $host }, its host, can start it; { $free ->
        [0] every seat is taken.
        [one] one seat is free.
       *[other] { $free } seats are free.
    }
}
table-already_started = The game has started already.
table-not_seated = You do not sit at { $table }.{ $stage ->
    [lobby] { $free ->
        [0] {" "}All its seats are taken.
       *[other] {" "}`/canasta join` takes a free seat there.
    }
    [playing] {" "}Its seats are taken by invitation from { $host }, its host.
   *[other] {""}
}
table-stale_table = The table has already moved on.
table-already_seated = You sit there already, seat { $seat }. Before the game starts, `/canasta join` with the number of another seat moves you there.
table-no_such_seat = There is no seat { $seat }: this table has seats 1 to { $seats }.
table-seat_taken = Seat { $seat } is taken by { $name }.
table-table_full = Every seat is taken.
table-seats_kept = The free seats are kept for those who played before. To take one all the same, name it: `/canasta join seat:` for yourself, `/canasta add-ai seat:` for an AI.
table-not_host = Only the host of the table or a moderator may do that. { $host ->
    [none] `/canasta log` shows who opened it and who became its host.
   *[other] The host is { $host }.
}
table-not_invited = A seat of a running game is taken by invitation: its host or a moderator gives one with `/canasta invite`.{ $host ->
    [none] {""}
   *[other] {" "}The host is { $host }.
}
table-not_your_seat = You have seen the hand of seat { $seat } in this game, so you can only come back to that seat.
table-round_not_over = The round is not over.
table-unknown_level = There is no AI level “{ $level }”.
table-no_person_there = No person sits at seat { $seat }. To let somebody take it from an AI, there is `/canasta invite`.
table-guest_seated = { $name } sits at the table already, at seat { $seat }.
table-not_their_seat = { $name } has seen the hand of seat { $seat } in this game, so they can only come back to that seat.
table-no_invite = Nobody is invited to seat { $seat }.
table-already_host = { $name } is the host already.
table-no_such_player = Only somebody who plays at { $table } can be its host.
table-same_place = The table is in that channel already.
table-bad_clock = No table has such a clock. Choose one from the list.
table-same_clock = The table has that clock already.
table-no_proposal = No other clock is proposed at { $table } any more.
table-already_agreed = You have agreed to this clock already.
table-undo_not_allowed = At { $table } laid melds are not taken back.
table-nothing_to_undo = There is nothing to take back: only melds that you have laid in this turn, and nothing after a draw, a take, a question or a discard.
table-bad_setting = “{ $value }” is no value of the setting { $setting }.

# Rules that cannot be had.
rules-unknown_profile = There is no profile “{ $profile }”. There are: { $values }.
rules-unknown_seats = { $house ->
    [0] { $title }
   *[other] With these house rules { $title }
} is not played with { $seats } seats, but with { $values }.{ $adding ->
    [none] {""}
   *[other] {" "}The house rule { $adding } brings them.
}{ $others ->
    [none] {""}
   *[other] {" "}With { $seats } seats there is { $others }.
}
rules-own-target = { $title } is always played to { $target }. The target can be chosen in { $profiles }.
rules-own-teams = In { $title } the number of seats says how many teams there are. It can be chosen in { $profiles }, with six seats.
rules-own-teams-seats = How many teams there are can be chosen only with { $options } seats, not with { $seats }.
rules-unknown_option = There is no house rule “{ $option }” here.{ $options ->
    [none] {""}
   *[other] {" "}There are: { $options }.
}
rules-unknown_option-seats = The house rule “{ $option }” is not there with { $seats } seats, only with { $options }.
rules-bad_value = “{ $value }” is no value of { $option }. It can be: { $values }.
rules-conflict = { $option } and { $other } do not go together.

# What Discord's side cannot do.
problem-no_tables = You sit at no table here. `/canasta new` opens one, `/canasta join` sits down.
problem-no_table_here = There is no table here. `/canasta new` opens one.
problem-several_tables = There are several tables it could be. Name the one you mean with `table:`.
problem-unknown_table = “{ $text }” is no table here. Choose one from the list that `table:` offers.
problem-too_long = That is too long: { $count } characters. A move has at most { $most }.
problem-bad_options = “{ $text }” is no house rule. Write them as `name=value`, with commas between.
problem-permissions = I cannot run a table here, because I lack: { $missing }. Somebody who manages this channel can grant that.
problem-channels = This server plays Canasta in: { $channels }
problem-channels_gone = The channels in which this server plays Canasta are gone. Who manages the server can choose others with `/canasta settings`.
problem-host_roles = On this server only members with one of these roles open tables: { $roles }. You can still join theirs with `/canasta join`.
problem-host_roles_gone = The roles that may open tables on this server are gone. Who manages the server can choose others with `/canasta settings`.
problem-not_manager = Only members with the permission Manage Server can see and change the settings.
problem-no_thread_here = A table gets a thread of its own only from a text channel. Leave `thread:` out to play right here.
problem-no_thread = Discord did not let me make a thread here. Leave `thread:` out, or choose False, to play in the channel itself.
problem-no_table_to_bring = No table of yours is in another channel. Say where to with `to:`, or which one with `table:`.
problem-for_and_until = Say how long with `for:`, or until when with `until:`, not both.
problem-no_place = In { $channel } no table can be: it takes a text channel, a voice channel's chat, or a thread.
problem-place_unseen = I cannot see { $channel }. Somebody who manages it can let me in, or choose another one.
problem-place_locked = { $channel } is locked, and I lack Manage Threads to write in it. Somebody who manages it can unlock it.
problem-place_own = You cannot write in { $channel } yourself, so you cannot bring a table there.
problem-place_unseen_by = { $names } cannot see { $channel }, so the table would be gone for them. Choose a channel that all who play can see; a moderator may move it there all the same.
problem-replace_last = Nobody else plays at this table: without this person it would end. `/canasta end` ends it; `/canasta invite` finds others first.
problem-guest_bot = A bot cannot be invited. `/canasta replace` gives the seat to an AI player.
problem-outdated = That button belongs to an older message and does nothing any more. `/table` shows the table as it is.
problem-old-command = That command belongs to an older version of me. Reload Discord, or try again in a while.
problem-not_asked = Only { $partners } can answer this question.
problem-no_question = No question is open.
problem-nothing_chosen = Choose melds first.
problem-discord = Discord does not answer me just now, so nothing has changed. Please try again in a while.
problem-guild_only = Canasta is played in a server's channels.
problem-storage = The table could not be saved just now, so nothing has changed. Please try again. (Reference { $reference })
problem-unexpected = Something went wrong on my side, and nothing has been lost. If it happens again, tell whoever runs this bot the reference { $reference }.

permission-view_channel = View Channel
permission-send_messages = Send Messages
permission-send_messages_in_threads = Send Messages in Threads
permission-thread_member = a place in this private thread (mention me here, and I am in it) or Manage Threads
