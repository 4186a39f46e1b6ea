"""Counts for ever. Every count is kept, so that a gap or a step back would show."""
import os, time

count, skipped, last = 0, 0, time.monotonic()
while True:
    count += 1
    now = time.monotonic()
    if now < last:
        skipped += 1
    last = now
    with open("/dev/shm/counter.new", "w") as file:
        file.write(f"{os.getpid()} {count} {skipped}\n")
    os.rename("/dev/shm/counter.new", "/dev/shm/counter")
    time.sleep(0.02)
