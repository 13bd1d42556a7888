# What hosts and moderators do with a table.
host-moved = { $table } is in { $channel } now.
host-moved-unseen = ⚠️ { $names } cannot see { $channel }: they are told of nothing there until somebody lets them in, or you move the table again.
host-paused = { $table } is paused until { $when } ({ $left }). Nobody can move and no clock runs; `/canasta resume` ends it earlier.
host-resumed = { $table } goes on.
host-replace-sure = Give { $name }'s seat { $seat } at { $table } to an AI player (level { $level })? { $name } is told, and comes back only if invited.
host-replace-sure-guest = Give { $name }'s seat { $seat } at { $table } to an AI player (level { $level }) until { $guest } takes it? { $name } is told, and comes back only if invited.
host-replace-sure-lobby = Give { $name }'s seat { $seat } at { $table } to an AI player (level { $level })? { $name } is told.
button-replace = Give the seat away
host-replaced = { $ai } plays seat { $seat } at { $table } now, in place of { $name }.
host-replaced-invited = { $ai } plays seat { $seat } at { $table } now, in place of { $name }, until { $guest } takes it.
host-invited = { $guest } is invited to seat { $seat } at { $table }. Until they take it, an AI plays it.
host-opened = Seat { $seat } at { $table } is open: whoever likes may take it. Until then, an AI plays it.
host-withdrawn = Nobody is invited to seat { $seat } at { $table } any more.
host-handed = { $name } is the host of { $table } now.
host-clock = Time for a turn at { $table } from now on: { $clock }.
host-clock-proposed = You propose another clock for { $table }. Time for a turn: { $clock }. It counts once everybody who plays has agreed; until then nothing changes.
host-clock-agreed = You have agreed. The clock changes once the others have, too.
host-clock-kept = The clock of { $table } stays as it is. Time for a turn: { $clock }.
host-end-sure = { $table } is in round { $round }, with { $people ->
    [one] one person
   *[other] { $people } people
} at it. To end it now is to give the game up: nobody wins, and it cannot be taken up again.
    -# If you only need a break: `/canasta pause`. If you only want to go: `/canasta leave`.
button-end-table = End { $table } for all
choose-seat = seat { $seat } · { $name }

thread-name = Canasta · { $title } · { $name }

# The log of a table.
log-title = ### Log of { $table }{ $pages ->
    [1] {""}
   *[other] {""} · page { $page } of { $pages }
}
log-earlier = Earlier
log-later = Later
log-line = { $when } · { $what }
log-line-moderator = { $when } · { $what } · **as a moderator**
log-create = { $by } opened the table
log-join = { $by } sat down at seat { $seat }
log-join-by = { $by } sat down at seat { $seat }, let in by { $guest }
log-leave = { $by } left seat { $seat }
log-seat-ai = { $by } seated { $name } (AI) at seat { $seat }
log-begin = { $by } started the game
log-begin-itself = The game began
log-missed = { $name } (seat { $seat }) let the clock run out
log-untold = nobody could be told of the turn of { $name } (seat { $seat }): the clock began anew
log-kept = An AI keeps seat { $seat } for { $name }
log-back = { $by } is back at seat { $seat }
log-back-itself = { $name } is back at seat { $seat }
log-away = { $by } is away until { $when }
log-replace = { $by } gave seat { $seat } of { $name } to an AI
log-invite = { $by } invited { $name } to seat { $seat }
log-invite-open = { $by } opened seat { $seat } to anybody
log-invite-withdrawn = { $by } took back the invitation to seat { $seat }
log-host = { $by } made { $name } the host
log-new-host = {"; "}{ $name } is the host now
log-pause = { $by } paused the table until { $when }
log-resume = { $by } ended the pause
log-resume-itself = The pause was over
log-move-place = { $by } moved the table to { $to }
log-lost = I could no longer write where the table is: { $why }
log-found = I can write where the table is again
log-propose = { $by } proposed another time for a turn: { $clock }
log-agree = { $by } agreed to this time for a turn: { $clock }
log-disagree = { $by } did not want this time for a turn: { $clock }
log-clock = { $by } changed the time for a turn: { $clock }
log-clock-agreed = All agreed on this time for a turn: { $clock }
log-end-finished = The game was over
log-end-host = { $by }, the host, ended the table
log-end-moderator = { $by } ended the table
log-end-deserted = Nobody was left at the table, so it ended
log-end-expired = The game was not begun in time, so the table ended
