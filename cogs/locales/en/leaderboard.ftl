# Leaderboards: who is ahead on a server, and on all of them.
command-leaderboard = Who is ahead on this server, by rating, wins, records and more
option-by = What the leaderboard goes by
option-pool = Which games count
option-season = A month, a year, or all time
option-scope = This server, or all servers (only those who agreed to be shown)
option-picture = Draw the top as a picture, too
scope-server = This server
scope-world = All servers
pool = { $profile } { $sides }
pool-ai = { $profile } { $sides }, with AI players
pool-all = All games between people
pool-all-ai = All games with AI players
# Between the sizes of teams: 2 v 2.
pool-versus = {" "}v{" "}
season-all = All time
season-year = { $year }
season-month = { $month } { $year }
order-rating = Rating
order-wins = Games won
order-games = Games played
order-win_rate = Win rate
order-round_average = Average round
order-canastas = Canastas
order-fastest_exit = Fastest exit
order-biggest_round = Biggest round
order-best_streak = Longest streak
# Behind the name and the number that the leaderboard goes by.
order-rating-about = · { $games ->
    [one] one game
   *[other] { $games } games
}, { $wins } won
order-wins-about = won of { $games }
order-games-about = games, { $wins } won
order-win_rate-about = · { $wins } of { $games } won
order-round_average-about = points a round, { $rounds ->
    [one] one round
   *[other] { $rounds } rounds
}
order-canastas-about = canastas, { $naturals } natural, in { $rounds ->
    [one] one round
   *[other] { $rounds } rounds
}
order-fastest_exit-about = to go out
order-biggest_round-about = points in one round
order-best_streak-about = won in a row, of { $games ->
    [one] one game
   *[other] { $games } games
}
value-number = { $number }
value-rate = { $rate } %
value-turns = { $turns ->
    [one] one turn
   *[other] { $turns } turns
}
leaderboard-title = ### Leaderboard · { $order }
leaderboard-title-world = ### Leaderboard of all servers · { $order }
leaderboard-about = -# { $about } · { $count ->
    [0] nobody yet
    [one] one player
   *[other] { $count } players
}
leaderboard-minimum = { $about } · at least { $games } games
leaderboard-line = **{ $place }.** { $name } — **{ $value }** { $about }
leaderboard-line-own = ➤ **{ $place }.** **{ $name }** — **{ $value }** { $about }
leaderboard-unnamed = a player without a name
leaderboard-shown-by = -# Shown by { $name }.
leaderboard-shown = All here can see it now.
leaderboard-empty = Nobody has finished a game here yet. `/canasta new` opens a table; whoever holds a seat from the first deal to the end of the game is on this list.
leaderboard-empty-here = Nobody has finished such a game in this time. Choose other games or another season below, or be the first: `/canasta new` opens a table.
leaderboard-empty-minimum = Nobody has played { $games } games yet, and fewer say little about this. Choose another order or season below, or play on: `/canasta new` opens a table.
leaderboard-empty-world = Nobody who agreed to be shown on all servers has finished such a game in this time.
leaderboard-agree = -# You are not on this list: `/preferences worldwide:True` shows your name and results to all servers, and `False` hides them again.
leaderboard-too-few = -# You: { $games ->
    [one] one game
   *[other] { $games } games
} of the { $minimum } that this list asks for.
leaderboard-none-of-mine = -# You are not on this list yet.
leaderboard-not-played = -# You have finished no such game yet. It counts when you hold a seat from the first deal to the end: `/canasta new` opens a table.
leaderboard-choose-order = What it goes by
leaderboard-choose-pool = Which games
leaderboard-choose-season = Season
leaderboard-alt = Leaderboard by { $order }: { $about }.
leaderboard-alt-line = { $place }. { $name }: { $value }
leaderboard-picture-place = { $place }.
# A name that the letters for pictures have not got.
leaderboard-picture-unnamed = (see the list)
button-first = First
button-on = On
button-my-page = My page
button-all-servers = All servers
button-this-server = This server
button-picture = Picture
button-no-picture = No picture
button-show-all = Show to all
button-look-around = Look around
problem-unknown_pool = There are no such games here as “{ $text }”. Choose from the list that `pool:` offers.
problem-unknown_season = I know no season “{ $text }”. Choose from the list that `season:` offers, or type a year or a month like `2026-11`.
problem-may_not_show = You may not write in this channel, so I do not show anything here for you.
