# What happened, told after the name of the player who did it.
event-line = **{ $name }** { $moves }
event-join = {" "}·{" "}
event-drew = drew{ $count ->
    [one] {""}
   *[other] {" "}{ $count } cards
}
event-red_three_exposed = showed { $card }
event-took_pile = { $count ->
    [one] took { $upcard } from the pile
   *[other] took the pile ({ $count } cards, { $upcard } on top)
}
event-laid = laid { $cards }
event-laid-onto = laid { $cards } onto the { $meld } (now { $size })
event-canasta_made-natural = made a natural canasta of { $meld }
event-canasta_made-mixed = made a mixed canasta of { $meld }
event-canasta_made-run = made a canasta of a { $run }
event-opened = opened with { $laid }
event-discarded = discarded { $card }
event-asked = asked { $partners }: may I go out?
event-answered-yes = said yes
event-answered-no = said no
event-declined = left the pile
event-turn_ended = ended the turn
event-taken_back = took back { $cards }
event-went_out = went out
event-went_out-concealed = went out concealed
# Told of the table.
event-lots_drawn = Lots are drawn: { $name } deals first.
event-dealt = Round { $round } is dealt by { $dealer }; { $first } begins.
event-round_ended = The round is over. { $reason }
event-round_ended-out = The round is over.
event-game_ended = The game is over: { $winner } { $players ->
    [one] wins
   *[other] win
} with { $score }.

reason-went_out = A player went out.
reason-declined = With an empty stock, a player left the pile.
reason-no_take = With an empty stock, the pile could not be taken.
reason-last_red_three = The last card of the stock was a red three.
reason-stock_empty = The stock is empty.
reason-stuck = No move was left.
