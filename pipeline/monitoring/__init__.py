"""Citations of production answers over time.

source     new lines of files, folders and streams; a half-written last line waits
sampling   which answers are scored                     scoring    an answer becomes a row of history
history    what was scored, in one SQLite file: append-only, safe against kill and against running twice
ingesting  what is new, into the history
watching   rows -> batches -> control charts -> alarms  alerts     what an alarm says, and where it goes
"""
