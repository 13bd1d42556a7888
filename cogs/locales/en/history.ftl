# Finished games.
command-history = Your finished games: list, record, comparison
command-history-list = Show finished games of this server
command-history-export = Get the record of a table as a file that anybody can check
command-history-compare = Put games with the same packs beside each other
option-person-history = Whose games; your own, if you leave it out
option-everybody = The games of everybody on this server
option-table-game = One table, with its rounds
option-table-record = Which table; the last one that you played, if you leave it out
option-duplicate = Deal the packs of a finished game again, to people who do not know them

history-title = ### { $whose ->
    [mine] Your games · { $count } played, { $won } won
    [all] Games of this server · { $count }
   *[other] Games of { $name } · { $count } played, { $won } won
}
history-none = { $whose ->
    [mine] You have finished no game on this server yet.
    [all] No game has been finished on this server yet.
   *[other] { $name } has finished no game on this server yet.
}
history-winners = { $names } { $result }
history-line = • **{ $game }** · { $result } · { $when }
    -# { $people }
history-hidden = -# { $count ->
    [one] One game of this page was
   *[other] { $count } games of this page were
} played where you cannot look.
history-won = won { $own } to { $rest }
history-lost = lost { $own } to { $rest }
history-to = {" "}and{" "}
history-number = { $number }
history-with = with { $partners }, against { $others }
history-against = against { $others }
history-choose = Look at a game
history-choice = { $game } · { $result }, { $ago } ago
history-game = ### { $table } · { $title }
history-duplicate = -# The packs of { $table } were dealt again here.
history-record = The record of { $table }: { $rounds ->
    [one] its one finished round
   *[other] its { $rounds } finished rounds
}, every pack, move and score. `/replay file:` goes through it, and `python -m canasta_core.record FILE` checks it.

compare-title = ### The same packs, { $count } games
compare-line = **{ $table }** · { $teams } · { $rounds ->
    [one] one round
   *[other] { $rounds } rounds
}
compare-explained = { $rounds ->
    [0] There is no round yet that has been played at all of them.
    [one] Points of the first round, which had the same packs everywhere.
   *[other] Points of the first { $rounds } rounds, which had the same packs everywhere.
}
compare-team = **Team { $letter }** · by table
compare-sum = Together
button-compare = Compare

problem-duplicate_rules = A duplicate has the rules and the seats of its game: leave profile, seats, teams, target and house rules out.
problem-duplicates_unseen = The other games with the packs of { $table } are played, or were, in channels that you do not see.
problem-no_duplicates = The packs of { $table } have not been dealt again. `/canasta new duplicate:` does that.

lobby-duplicate = **Duplicate** · the packs of { $table } are dealt again here, so who has played them or looked at their record cannot sit down.
history-somebody = somebody
