# One person's statistics on a server, and what a finished game has changed.
command-stats = Ratings, partners, records and form: your own, or somebody's
option-person = Whose statistics; without it your own
stats-title = ### { $name } on this server
stats-about = **{ $games ->
    [one] one game
   *[other] { $games } games
}**, { $wins } won ({ $rate } %) · since { $since }
stats-place = Place { $place } by rating, of all games between people
stats-pools = **By rules**
stats-pool = • { $pool }: rating **{ $rating }** · { $games ->
    [one] one game
   *[other] { $games } games
}, { $wins } won ({ $rate } %)
stats-more-pools = -# { $count ->
    [one] and one more kind of game
   *[other] and { $count } more kinds of games
}
stats-people = **People** (from { $minimum } games together)
stats-partner = • Best partner: { $name }, { $wins } of { $games } games won side by side
stats-opponent = • Hardest opponent: { $name }, { $wins } of { $games } games won against them
stats-records = **Records**
stats-biggest-round = • Biggest round: **{ $points }** points
stats-average = • Average round: { $points } points, over { $rounds ->
    [one] one round
   *[other] { $rounds } rounds
}
stats-no-exit = • Has not gone out yet
stats-exits = • Went out { $exits ->
    [one] once
   *[other] { $exits } times
}, { $concealed ->
    [0] never concealed
    [one] once concealed
   *[other] { $concealed } times concealed
}; fastest after **{ $turns ->
    [one] one turn
   *[other] { $turns } turns
}**
stats-canastas = • Canastas completed: { $canastas }, of them { $naturals } natural
stats-streak = • Longest streak: { $games ->
    [0] no game won yet
    [one] one game won
   *[other] { $games } games won in a row
}
stats-form = **Form** · { $pool }
stats-course = { $games ->
    [one] The one game so far
   *[other] The last { $games } games, { $wins } won
}: from { $first } to **{ $last }** (highest { $highest }, lowest { $lowest }; the last one { $change })
stats-each = -# { $count ->
    [one] The last one
   *[other] The last { $count }, oldest first
}: { $each }
stats-won = won
stats-lost = lost
stats-left-out = -# { $count ->
    [one] One more game does not count
   *[other] { $count } more games do not count
} for you: you came in after the first deal, or an AI player kept your seat for a while.
stats-left-out-other = -# { $count ->
    [one] One more game does not count
   *[other] { $count } more games do not count
}: the seat was taken after the first deal, or kept by an AI player for a while.
stats-newcomer = You have not finished a game here that counts. `/canasta new` opens a table, AI players take the seats that stay free, and `/rules` shows how it is played. A game counts when you hold your seat from the first deal to the end; then your rating, records and form stand here.
stats-newcomer-other = { $name } has not finished a game here that counts.
stats-choose-pool = Form in which games
stats-alt = Rating of { $name }, { $pool }. { $course }. Game by game: { $results }.
curve-title = { $name } · rating
curve-title-unnamed = Rating
curve-about = { $pool } · { $games ->
    [one] the first game
   *[other] last { $games } games
}
curve-begin = { $games ->
    [one] one game ago
   *[other] { $games } games ago
}
curve-end = now
curve-won = won
curve-lost = lost
rating-up = +{ $change }
rating-down = −{ $change }
rating-same = ±{ $change }
button-my-stats = My statistics
button-leaderboard = Leaderboard
problem-no_stats_of_bots = That is a bot, and bots have no statistics. AI players are not rated either: each level is a fixed mark by which people are measured.
score-ratings = **Ratings** ({ $pool }): { $changes }
score-rating = { $name } **{ $rating }** ({ $change })
score-uncounted-kept = -# Does not count for { $names }: an AI player kept the seat for a while.
score-uncounted-late = -# Does not count for { $names }: who comes in after the first deal plays for the others.
