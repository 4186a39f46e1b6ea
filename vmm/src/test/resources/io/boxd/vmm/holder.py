"""Holds memory that only it knows, and tells its checksum when asked by a signal."""
import os, signal, sys, zlib

megabytes = int(sys.argv[1])
block = os.urandom(1 << 20)
held = [bytearray(i.to_bytes(4, "big") * 64 + block[256:]) for i in range(megabytes)]
answers = 0


def checksum():
    value = 0
    for part in held:
        value = zlib.crc32(part, value)
    return value


def tell(*_):
    global answers
    answers += 1
    with open("/dev/shm/checksum.new", "w") as file:
        file.write(f"{os.getpid()} {answers} {checksum()}\n")
    os.rename("/dev/shm/checksum.new", "/dev/shm/checksum")


signal.signal(signal.SIGUSR1, tell)
tell()
while True:
    signal.pause()
