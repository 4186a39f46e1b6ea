"""Checks the database and prints: integrity, number of rows, highest id, rows of each machine."""
import sqlite3

database = sqlite3.connect("/home/boxd/rows.db")
print(database.execute("pragma integrity_check").fetchone()[0])
print(*database.execute("select count(*), max(id) from rows").fetchone())
for host, low, high, count in database.execute(
    "select host, min(id), max(id), count(*) from rows group by host order by 2"
):
    print(host, low, high, count)
