# Tables in lists.
list-title = ### { $count ->
    [one] One table
   *[other] { $count } tables
}{ $waiting ->
    [0] {""}
    [one] {" "}· one waits for you
   *[other] {" "}· { $waiting } wait for you
}
list-none = There is no table on this server. `/canasta new` opens one.
list-line = { $mark } { $table } · { $state }
list-join = {" "}·{" "}
list-waiting-you = **your turn**
list-turn = round { $round }, turn of { $name }
list-between = round { $round } is over
list-paused = round { $round }, paused
list-until = { $state } (ends { $left })
list-kept = { $state } · an AI keeps your seat: `/back`
list-lost = ⚠️ I cannot write in its channel: `/canasta move table:{ $number }`
list-lobby = { $free ->
    [0] about to begin
    [one] one seat free
   *[other] { $free } seats free
}
list-lobby-mine = waits for players, { $free ->
    [one] one seat free
   *[other] { $free } seats free
}
list-page = Page { $page } of { $pages }
button-before = Back
button-after = More

# Which of several tables a command meant, in options, where Discord shows no timestamps.
choose-table = There are several tables it could be. Which one do you mean?
choose-placeholder = Choose a table
choose-option = { $table } · { $title } · { $round ->
    [0] lobby
   *[other] round { $round }
}
choose-your-turn = your turn
choose-turn = turn of { $name }
choose-between = between two rounds
choose-paused = paused
choose-left = { $state }, { $left } left
choose-more = More tables ({ $page } of { $pages })
