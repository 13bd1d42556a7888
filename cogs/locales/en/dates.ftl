# Days and lengths of time as people type them. The lists are words with spaces between: Monday and January
# come first, and each of the other lists holds all that is understood.
date-weekdays = Monday Tuesday Wednesday Thursday Friday Saturday Sunday
date-months = January February March April May June July August September October November December
date-hour-words = h hour hours hr hrs
date-day-words = d day days
date-week-words = w week weeks wk
date-today-words = today tonight
date-tomorrow-words = tomorrow tmrw
date-filler-words = until till til for in on next the a an of at morning
date-day = { $weekday } { $day } { $month }, { $time }
