# The rules as pages (docs/rules).
page-index = Rules
page-index-intro = One page for each set of rules that a table can be opened with. They are made from what `/rules` says at a table, examples included. [Where sources disagree](conflicts.md) tells which reading was chosen, and why.
page-index-line = { $seats } seats, first to { $target } points.
page-intro = These are the rules with { $seats } seats; what other numbers of seats and house rules change stands at the end. `/rules` tells those of the very table you sit at.
page-seats = Other numbers of seats
page-seats-intro = Only what differs from { $seats } seats.
page-seats-count = { $seats } seats
page-options = House rules
page-options-intro = Chosen with `/canasta new`, and fixed when the table is opened. Only what each changes is told.
page-only-seats = With { $seats } seats only.
page-only-with = Together with { $options }.
page-option-seats = With it, there are tables of { $seats } seats too:
