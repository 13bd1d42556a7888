# Commands and their options, as Discord lists them. At most 100 characters each.
command-canasta = Open and run Canasta tables
command-new = Open a new table in this channel
command-join = Sit down at a table
command-leave = Leave your seat; in a running game an AI plays on for you
command-add-ai = Seat an AI player at a table
command-start = Start the game; AI players take the free seats
command-end = End a table of yours
command-list = List the tables of this server, those that wait for you first
command-draw = Draw from the stock
command-take-pile = Take the pile, melding its top card
command-meld = Lay melds, or add cards to your team's melds
command-discard = Discard a card; your turn is over
command-ask-partner = Ask your partner whether you may go out
command-answer = Answer your partner's question
command-decline = With an empty stock: do not take the pile
command-end-turn = End a turn in which nobody discards
command-hand = Show your hand, and what you can do now
command-table = Show the table as it is now
command-score = Show the score, round by round
command-rules = Show the rules of the table, with examples

option-profile = Which rules are played
option-seats = How many seats
option-teams = How many teams, where the seats leave a choice
option-target = Points that win the game, where the profile leaves a choice
option-options = House rules: name=value, with commas between
option-seat = Number of the seat
option-level = How well the AI plays
option-topic = What you would like to know
option-table = Which table, when you sit at more than one
option-with = Cards of your hand that join the top card, like K K
option-also = Further melds to lay in the same move, like Q Q 2, 7 7 7
option-cards = Melds with commas between, like K K K, 7 7 2; K: 2 adds a wild card to the kings
option-card = The card, like 4C or 4
option-reply = Yes binds your partner to go out, no forbids it

# What the options of a new table offer.
choose-seats = { $seats } seats, { $teams } teams
choose-teams = { $count } teams
choose-target = { $count } points
