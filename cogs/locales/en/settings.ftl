# The server's settings for its tables.
settings-title = ### Canasta on this server
    Each change is saved at once and counts for new tables; running games keep theirs.
settings-channels = **Where tables may be** — a category stands for all its channels, a channel for its threads too
settings-channels-all = Everywhere
settings-channels-gone = ⚠️ The channels that were chosen are gone, so tables can be opened nowhere. Choose others; to allow all, choose one and take it out again.
settings-roles = **Who may open tables** — besides those who manage the server
settings-roles-all = Everybody
settings-roles-gone = ⚠️ The roles that were chosen are gone, so only who manages the server opens tables. Choose others; to allow all, choose one and take it out again.
settings-profile = **Rules of a new table**, unless its host chooses others
settings-profile-choose = Rules
settings-clock = **Clock**: the time for a turn, unless the host chooses another
settings-clock-choose = Clock
settings-away = **/away**: how long a player's clock can wait for them, in all, in one game
settings-away-choose = Limit
settings-away-none = not at all
settings-language = **Language** of the tables, unless the host chooses another
settings-language-choose = Language
settings-language-host = that of the host
settings-toggles = **A thread of its own** for each table, and **undo** of the melds of the running turn; the host of a table may choose otherwise
settings-threads-on = Threads: on
settings-threads-off = Threads: off
settings-undo-on = Undo: on
settings-undo-off = Undo: off
settings-closed = ⚠️ In { $channel } I lack: { $missing }.
settings-closed-more = … and in { $count } more.

settings-saved-channels = ✅ { $count ->
    [0] Tables may now be opened everywhere.
   *[other] Tables may now be opened in: { $value }
}
settings-saved-roles = ✅ { $count ->
    [0] Everybody may now open tables.
   *[other] Tables may now be opened by: { $value }
}
settings-saved-profile = ✅ New tables play { $value }.
settings-saved-clock = ✅ Clock of new tables: { $value }.
settings-saved-away = ✅ Away from a new table: { $value } in all.
settings-saved-language = ✅ Language of new tables: { $value }.
settings-saved-threads-on = ✅ Each new table gets a thread of its own.
settings-saved-threads-off = ✅ New tables stay in their channel.
settings-saved-undo-on = ✅ At new tables, melds of the running turn can be taken back.
settings-saved-undo-off = ✅ At new tables, nothing is taken back.

# A language, by its own name.
language-name = English
