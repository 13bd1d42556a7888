# A table before its game.
lobby-title = ### Canasta · { $table }
    { $title } · { $seats } seats · first to { $target }
lobby-title-exact = ### Canasta · { $table }
    { $title } · { $seats } seats · exactly { $target } wins
lobby-house = **House rules**
lobby-unlike-classic = **Other than in Classic:** { $topics }. `/rules` or *Rules* tells how.
lobby-option = • { $name } = { $value }
lobby-clock = **Clock:** { $clock } for a turn; then an AI plays that one turn.
lobby-clock-none = **Clock:** none; a turn takes as long as it takes.
lobby-undo = **Undo:** melds can be taken back until you do something else.
lobby-undo-none = **Undo:** none; what is laid stays.
lobby-team = **{ $team }**
lobby-seat = Seat { $seat } · { $name }
lobby-seat-host = Seat { $seat } · { $name } · host
lobby-seat-free = Seat { $seat } · *free*
lobby-seat-kept = Seat { $seat } · *kept for* { $name }
lobby-kept = **Rematch: waiting for { $names }.** *Join* gives each the old seat, which is kept until the game starts.
lobby-waiting = { $free ->
    [0] All seats are taken.
    [one] One seat is free.
   *[other] { $free } seats are free.
} The game starts by itself when the table is full; *Add AI* fills a seat, *Start* fills them all.
lobby-choose = -# *Join* takes the first free seat. To choose your partner, or to change seats, choose one below (or `/canasta join seat:`); an AI's seat can be taken, too.
lobby-choose-placeholder = Choose or change your seat
lobby-choice-free = free
lobby-choice-ai = in place of { $name } (AI)
lobby-choice-kept = kept for somebody who played before
lobby-place = seat { $seat }
lobby-place-team = seat { $seat }, team { $team }
lobby-place-with = seat { $seat }, team { $team } with { $names }

# House rules, by option and value.
house-teams-3 = • Three teams of two (teams = 3)
house-draw-2 = • Two cards are drawn each turn (draw = 2)
house-canastas_to_go_out-2 = • Going out takes two canastas (canastas_to_go_out = 2)
house-exhausted_take-pile = • With the stock empty, a take is of the whole pile (exhausted_take = pile)
house-real-true = • Seven in a row of one suit are a canasta of 500 (real)
house-sujo-true = • The target must be hit exactly; who passes it falls back (sujo)
house-two_pack-true = • Two packs without jokers (two_pack)
house-three_pack-true = • Three packs with six jokers, hands of 13 (three_pack)
house-freeze-wild = • Wild cards freeze the pile (freeze = wild)
house-freeze-wild_and_black_three = • Wild cards and black threes freeze the pile (freeze = wild_and_black_three)
house-freeze-always = • The pile is always frozen (freeze = always)
house-permission-false = • Nobody asks to go out (permission = false)

lobby-opened = { $table } is open.
lobby-opened-thread = { $table } is open, in a thread of its own: { $channel }
lobby-joined = You sit at { $table }: { $place }.
lobby-moved = You moved to { $place } at { $table }.
lobby-left = You have left { $table }.
lobby-left-closed = You have left { $table }. Nobody was left, so it is closed.
lobby-leave-close = Nobody else sits at { $table }: if you leave, it is closed.
button-leave-close = Leave and close { $table }
lobby-start-kept = Seats are kept for { $names }, who played before. If { $table } starts now, AI players sit there; { $names } can still take over with `/canasta join`.
button-start-kept = Start all the same
lobby-left-game = You have left { $table }. An AI plays your hand on; the seat stays yours if you come back with `/canasta join`.
lobby-leave-last = Nobody else plays at { $table }: if you leave, the game is over, and it cannot be taken up again.
    -# If you only need a break: `/canasta pause`.
lobby-ai = { $name } sits down at { $table }.
lobby-started = The game at { $table } begins.
lobby-ended = { $table } is over.
lobby-rematch = A rematch is open: { $table }. You have your old seat; those of the others are kept for them.
lobby-rematch-joined = You sit at { $table }: { $place }, as before.
lobby-rematch-other-seat = You sit at { $table }: { $place }.
lobby-rematch-seated = You sit at the rematch already, { $table }: { $place }.
lobby-rematch-there = The rematch is under way already, without you: { $table }.
