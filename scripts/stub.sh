#!/bin/sh
# boxd @VERSION@, all of it in this file. Unpacks itself once, then runs from there. It never updates itself.
set -eu

hash=@HASH@
if [ "$(id -u)" -eq 0 ]; then
    cache=/var/cache/boxd/programs
else
    cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/boxd/programs
fi
cache=${BOXD_PROGRAM_CACHE:-$cache}
program=$cache/$hash

fail() {
    printf 'boxd: %s\n' "$*" >&2
    exit 1
}

# Complete or not there at all, however many start at once.
unpack() {
    umask 022
    mkdir -p "$cache"
    new=$(mktemp -d "$cache/.new-XXXXXX")
    trap 'rm -rf "$new"' EXIT
    if command -v sha256sum >/dev/null 2>&1; then
        found=$(tail -n "+@LINES@" "$0" | sha256sum | cut -d' ' -f1)
        [ "$found" = "$hash" ] || fail "this file is damaged: get it again"
    fi
    tail -n "+@LINES@" "$0" | gzip -dc | tar -C "$new" -xpf - || fail "cannot unpack into $cache"
    chmod 755 "$new"
    mv -T "$new" "$program" 2>/dev/null || [ -x "$program/launch" ] || fail "cannot unpack into $cache"
}

if [ ! -x "$program/launch" ]; then
    (unpack)
fi
# What somebody else put there is not run.
[ -O "$program" ] || fail "$program belongs to somebody else: set BOXD_PROGRAM_CACHE to a folder of yours"

BOXD_COMMAND=$(readlink -f "$0")
export BOXD_COMMAND
exec "$program/launch" "$@"
exit 1
