# What is stored about a person, their copy of it, and its deletion.
former-player = former player
command-privacy = What I store about you: your copy of it, and its deletion
command-privacy-export = Everything that I store about you, as a file for you alone
command-privacy-delete = Delete everything about you; your games stay as those of a former player
privacy-exported = ### Everything that I store about you
    { $count ->
        [one] It is in this file, which opens in any text editor.
       *[other] It is in these { $count } packed files, which hold texts for any text editor.
    } Times are given as people read them, in UTC; a user id in it is yours, and others stand there by their names.
privacy-delete-sure = ### Delete everything about you?
    { $tables ->
        [0] You sit at no table now.
        [one] You leave **one table** at once, and an AI player plays on for you. You cannot come back to that seat.
       *[other] You leave **{ $tables } tables** at once, and AI players play on for you. You cannot come back to those seats.
    }
    • Your name, preferences, invitations and reminders are deleted.
    • Games that you played stay in the history of the others, with “former player” in your place; your rating, statistics and places on leaderboards are gone.
    • Nobody can find out afterwards who that was, and nothing can be brought back. If you want a copy, use `/privacy export` first.
    • Messages that stand in channels already are not changed.
    If you play again, you begin as somebody new.
button-delete-everything = Delete everything about me
privacy-deleted = Everything about you is deleted. { $left ->
        [0] {""}
        [one] You left one table.{" "}
       *[other] You left { $left } tables.{" "}
    }{ $tables ->
        [0] There was nothing at any table.
        [one] One table knows a former player now.
       *[other] { $tables } tables know a former player now.
    } Backups that were made before are kept until whoever runs this bot deletes them.
problem-own_data_too_long = There is too much about you for one message. Please ask whoever runs this bot.
table-being_forgotten = Everything about you is being deleted just now. Until that is done nothing that you do counts; use `/privacy delete` once more if this lasts.
privacy-file = Everything that this Canasta bot stores about one person, in their own words and numbers. docs/privacy.md of the program explains each field.
privacy-kind-members = Your name, as it was known last.
privacy-kind-preferences = What you have chosen with /preferences and /leaderboard.
privacy-kind-standings = What your finished games add up to: one entry for each leaderboard and season.
privacy-kind-former-players = That all of this is being deleted.
privacy-kind-tables = Tables where you sat, or that mention you as host, invited, or who paused or proposed something.
privacy-kind-table-log = What you did at tables, and what others did that concerns you.
privacy-kind-seats = Seats that you have held, from when to when.
privacy-kind-outbox = Messages about you that are still to be sent.
privacy-kind-results = Your finished games.
privacy-kind-seat-rounds = Your finished rounds.
privacy-kind-record-readers = Games whose record you have looked at, so that you know their cards.
privacy-kind-cups = Cups that you host.
privacy-kind-cup-entrants = Cups that you have signed up for.
privacy-kind-cup-seats = Where you were to sit in the rounds of cups.
privacy-kind-hands = The cards that you hold now.
