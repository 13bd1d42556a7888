# Words used everywhere.
table-name = table { $id }
table-that = that table
list-or = { $first } or { $last }
list-comma = ,{" "}
sitter-person = { $name }
sitter-ai = { $name } (AI)
sitter-free = seat { $seat }
team-short = Team { $letter }
team-title = { $team } · { $names }
seat-title = { $letter } · { $name }
team-and = {" "}&{" "}
count-cards = { $count ->
    [one] { $count } card
   *[other] { $count } cards
}

# A meld: its rank, how many cards, and how many of them are wild.
meld = { $name } ×{ $count }{ $wilds ->
    [0] {""}
   *[other] {" "}({ $wilds } wild)
}
meld-natural = 🔴 { $name } ×{ $count } natural
meld-mixed = ⚫ { $name } ×{ $count } mixed ({ $wilds } wild)
meld-run = 🔴 { $high } to { $low } run

label-run = { $suit } run

rank-a = aces
rank-k = kings
rank-q = queens
rank-j = jacks
rank-10 = tens
rank-9 = nines
rank-8 = eights
rank-7 = sevens
rank-6 = sixes
rank-5 = fives
rank-4 = fours
rank-3 = black threes
