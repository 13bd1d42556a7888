# What a table refuses.
table-no_such_table = There is no such table here.
table-table_ended = That table is over.
table-not_started = The game has not started yet.
table-already_started = The game has started already.
table-not_seated = You do not sit at { $table }.
table-stale_table = The table has already moved on.
table-already_seated = You sit there already, seat { $seat }.
table-no_such_seat = There is no seat { $seat }: this table has seats 1 to { $seats }.
table-seat_taken = Seat { $seat } is taken by { $name }.
table-table_full = Every seat is taken.
table-not_host = Only the host of the table or a moderator may do that.
table-not_invited = In a running game only the host or a moderator seats newcomers.
table-not_your_seat = You have seen the hand of seat { $seat } in this game, so you can only come back to that seat.
table-round_not_over = The round is not over.
table-unknown_level = There is no AI level “{ $level }”.

# Rules that cannot be had.
rules-unknown_profile = There is no profile “{ $profile }”. There are: { $values }.
rules-unknown_seats = This profile is not played with { $seats } seats, but with { $values }.
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
problem-several_tables = You sit at several tables. Name the one you mean with `table:`.
problem-several_tables_here = There are several tables here. Name the one you mean with `table:`.
problem-unknown_table = “{ $text }” is no table here. Choose one from the list that `table:` offers.
problem-too_long = That is too long: { $count } characters. A move has at most { $most }.
problem-bad_options = “{ $text }” is no house rule. Write them as `name=value`, with commas between.
problem-permissions = I cannot run a table here, because I lack: { $missing }. Somebody who manages this channel can grant that.
problem-outdated = That button belongs to an older message and does nothing any more. `/table` shows the table as it is.
problem-old-command = That command belongs to an older version of me. Reload Discord, or try again in a while.
problem-not_asked = Only { $partners } can answer this question.
problem-no_question = No question is open.
problem-nothing_chosen = Choose melds first.
problem-guild_only = Canasta is played in a server's channels.
problem-storage = The table could not be saved just now, so nothing has changed. Please try again. (Reference { $reference })
problem-unexpected = Something went wrong on my side, and nothing has been lost. If it happens again, tell whoever runs this bot the reference { $reference }.

permission-view_channel = View Channel
permission-send_messages = Send Messages
permission-send_messages_in_threads = Send Messages in Threads
