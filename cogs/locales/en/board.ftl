# The public message of a table.
board-title = ### Canasta · { $table }
    { $title } · round { $round } · first to { $target }
board-title-exact = ### Canasta · { $table }
    { $title } · round { $round } · exactly { $target } wins
board-team = **{ $team }** — { $score }
board-needs = needs { $minimum } to open
board-needs-any = opens with any meld
board-no-melds = nothing laid yet
board-canastas = Canastas: { $count } of the { $needed } it takes to go out
board-red-threes = Red threes: { $count }
board-pile-empty = **Pile:** empty
board-pile = **Pile:** { $count ->
    [one] 1 card
   *[other] { $count } cards, on top
}
board-upcard = # { $card }
board-blocked = Blocked: nobody can take it with { $card } on top.
board-frozen = Frozen for all: it takes a natural pair from the hand.
board-frozen-for = Frozen for { $teams } (not opened): it takes a natural pair from the hand.
board-frozen-always = Always frozen here: it takes a natural pair from the hand.
board-stock = **Stock:** { $count ->
    [0] empty
    [one] 1 card
   *[other] { $count } cards
}
board-seat = • { $name } · { $count }
board-seat-turn = ➤ **{ $name }** · { $count } — { $doing }
board-seat-asked = ❓ **{ $name }** · { $count } — to answer yes or no
board-seat-yes = • { $name } · { $count } — has said yes
board-doing-draw = to draw or take
board-doing-leave = to take the pile or leave it
board-doing-last-draw = to take the pile, or to draw, which ends the round
board-doing-play = to lay or discard
board-doing-wait = waits for an answer
board-promise = -# Promise of this deal: `{ $promise }` · `/fair`
board-moves = -# { $line }
board-round-over = **The round is over.** { $reason }
board-went-out = { $name } went out.
board-went-out-concealed = { $name } went out concealed.
board-next-round = The next round starts { $when }, or with the button.
board-game-over = **{ $winner } { $players ->
    [one] wins
   *[other] win
} with { $score }!**
board-ended-host = **This table was ended by its host.**
board-ended-moderator = **This table was ended by a moderator.**
board-ended-deserted = **This table is over: everybody has left.**
board-ended-expired = **This table is over: nobody began the game for a week.**
board-ended-finished = **The game is over.**

button-hand = My hand
button-draw = Draw
button-take = Take pile
button-rules = Rules
button-score = Score
button-next = Next round
button-rematch = Rematch
button-replay = Replay
button-join = Join
button-leave = Leave
button-add-ai = Add AI
button-start = Start
button-yes = Yes
button-no = No

turn-ping = { $mention } — your turn at [{ $table }]({ $url }).
turn-ping-plain = { $mention } — your turn at { $table }.
question-ping = { $mentions } — **{ $name }** asks: *may I go out?* Yes binds { $name } to go out this turn, no forbids it.{ $partners ->
    [one] {""}
   *[other] {" "}It takes a yes of each of { $partners }; the first no decides.
} ({ $table })
question-yes = **{ $name }** asked to go out. The answer was **yes**.
question-no = **{ $name }** asked to go out. The answer was **no**.
question-closed = **{ $name }** asked to go out. The question is closed.
