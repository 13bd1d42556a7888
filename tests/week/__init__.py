"""A simulated week of many tables and people, in which the process is killed again and again.

`python -m tests.week --help`; `scripts/soak --week` runs it. How it is made:

* `plan` decides, by a seed, who sits where, what people are like, and when the process dies, and how.
* `life` is one life of the process: the real bot on a simulated Discord, and people who act when Discord
  tells them to, or when it suits them. Time is virtual, so a week takes minutes.
* `deaths` ends a life by SIGKILL: inside a transaction, while SQLite commits, between commit and telling,
  around a request to Discord, at any step of the event loop or at any instant of real time.
* `world` keeps Discord and the people's plans from one life to the next.
* `judge` compares, in another process, what the database holds with what Discord got.
"""
