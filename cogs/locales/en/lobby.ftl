# A table before its game.
lobby-title = ### Canasta · { $table }
    { $title } · { $seats } seats · first to { $target }
lobby-title-exact = ### Canasta · { $table }
    { $title } · { $seats } seats · exactly { $target } wins
lobby-house = House rules: { $options }
lobby-option = { $name } = { $value }
lobby-team = **Team { $team }**
lobby-seat = Seat { $seat } · { $name }
lobby-seat-host = Seat { $seat } · { $name } · host
lobby-seat-free = Seat { $seat } · *free*
lobby-waiting = { $free ->
    [0] All seats are taken.
    [one] One seat is free.
   *[other] { $free } seats are free.
} The game starts by itself when the table is full; *Add AI* fills a seat, *Start* fills them all.

lobby-opened = { $table } is open.
lobby-joined = You sit at { $table }, seat { $seat }.
lobby-left = You have left { $table }.
lobby-left-game = You have left { $table }. An AI plays your hand on; the seat stays yours if you come back with `/canasta join`.
lobby-ai = { $name } sits down at { $table }.
lobby-started = The game at { $table } begins.
lobby-ended = { $table } is over.
lobby-rematch = A rematch is open: { $table }.
lobby-rematch-there = The rematch is open already: { $table }.
list-title = ### Tables
list-here = in this channel
list-elsewhere = in { $channel }
list-none = There is no table here. `/canasta new` opens one.
list-line = { $mark } { $table } · { $title } · { $state } · { $where }
list-waiting-you = **your turn**
list-lobby = { $free ->
    [one] one seat free
   *[other] { $free } seats free
}
list-playing = round { $round }
list-more = … and { $count } more
choose-table = You sit at several tables. Which one do you mean?
choose-placeholder = Choose a table
choose-option = { $table } · round { $round }
choose-your-turn = your turn
choose-not-turn = not your turn
