"""Writes a row at a time into a database; each row says which machine wrote it."""
import os, socket, sqlite3, time

database = sqlite3.connect("/home/boxd/rows.db", isolation_level=None)
database.execute("pragma journal_mode=wal")
database.execute("create table rows (id integer primary key, host text)")
number = 0
while True:
    number += 1
    database.execute("insert into rows values (?, ?)", (number, socket.gethostname()))
    with open("/dev/shm/rows.new", "w") as file:
        file.write(f"{number}\n")
    os.rename("/dev/shm/rows.new", "/dev/shm/rows")
    time.sleep(0.02)
