# What a person chooses for themselves.
command-preferences = Choose for yourself: reminders, quiet hours, time zone, discards asked twice
option-reminders = Where I remind you before your clock runs out
option-quiet = Hours in which I make no noise, like 22-8 or 22:30-7:00; off for none
option-zone = Your time zone, like Europe/Berlin
option-worldwide = Show my name and results on the leaderboards of all servers
option-two-step = Ask once more before a card that you chose in your hand is discarded
preferences = ### Your preferences
    At every table, on every server.
    {""}**Reminders:** { $reminders }
    {""}**Quiet hours:** { $quiet }
    {""}**Time zone:** { $zone } (it is { $time } there)
    {""}**Discards:** { $discards }
    {""}**Leaderboards:** { $shown }
    {""}-# Times can be typed more exactly, and any zone in the world: `/preferences quiet:` and `zone:`.
preferences-kept = Saved.
preferences-reminders-choose = Reminders
preferences-reminders-channel = in the table's channel
preferences-remind-channel = Remind me in the table's channel
preferences-remind-channel-about = A short message that pings you once, near the end of your clock
preferences-reminders-dm = by direct message
preferences-remind-dm = Remind me by direct message
preferences-remind-dm-about = The same, privately
preferences-reminders-off = off
preferences-remind-off = No reminders
preferences-remind-off-about = You are pinged when your turn begins, and not again
preferences-quiet = { $begins } to { $ends }
preferences-quiet-none = none
preferences-no-quiet = No quiet hours
preferences-from = Quiet from { $time }
preferences-from-choose = Quiet from …
preferences-to = Quiet until { $time }
preferences-to-choose = Quiet until …
preferences-zone = My clocks show { $zone }
preferences-zone-choose = Your time zone: what do your clocks show?
preferences-two-step = I ask once more before your card is discarded
preferences-one-step = the card that you choose is discarded at once
preferences-worldwide = your name and results are shown on all servers
preferences-server-only = your results are shown only on the server where you played
button-worldwide-on = Show me on all servers
button-worldwide-off = Show me only where I play
button-two-step-on = Ask me before each discard
button-two-step-off = Discard without asking
problem-bad_quiet = I cannot read “{ $text }” as hours of the day. Write them like `22-8` or `22:30-7:00`, or `off`.
problem-bad_zone = I know no time zone “{ $text }”, or several. Choose one from the list that `zone:` offers, like `Europe/Berlin`.
