#!/bin/sh
# Runs a package where there is no Java: check-package.sh FILE, in a mount namespace of its own.
set -eu

fail() {
    printf 'check-package: %s\n' "$*" >&2
    exit 1
}

package=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/empty" "$work/home"
for folder in /usr/lib/jvm /opt /usr/java "${HOME:-/root}/.m2" "${HOME:-/root}/.sdkman"; do
    [ ! -d "$folder" ] || mount --bind "$work/empty" "$folder"
done
unset JAVA_HOME CLASSPATH BOXD_URL BOXD_TOKEN
HOME=$work/home
PATH=/usr/bin:/bin
BOXD_PROGRAM_CACHE=$work/cache
BOXD_HOME=$work/nothing
export HOME PATH BOXD_PROGRAM_CACHE BOXD_HOME
! java -version >/dev/null 2>&1 || fail "there is still a Java"

# Many first starts at once: each must find a whole program.
for each in 1 2 3 4; do
    "$package" version >"$work/out.$each" 2>&1 &
done
wait
for each in 1 2 3 4; do
    grep -q '^boxd [0-9]' "$work/out.$each" || fail "a first start said: $(cat "$work/out.$each")"
done
[ "$(ls -A "$work/cache" | wc -l)" -eq 1 ] || fail "the cache has leftovers: $(ls -A "$work/cache")"

status=0
"$package" list >"$work/list" 2>&1 || status=$?
[ "$status" -eq 7 ] || fail "list without a server ended with $status: $(cat "$work/list")"

# Words arrive as they were typed, whatever the language.
LC_ALL=C "$package" 'grüße' >"$work/words" 2>&1 || true
grep -q "grüße" "$work/words" || fail "words do not arrive: $(cat "$work/words")"

# The server as well: a box is made and answers.
(
    PATH=/usr/sbin:/usr/bin:/sbin:/bin
    BOXD_HOME=$work/instance BOXD_REGISTRY=/run/boxd-test/registry
    BOXD_HTTP_PORT=0 BOXD_HTTPS_PORT=0 BOXD_DNS_PORT=0 BOXD_SSH_PORT=0
    BOXD_IMAGE=tiny BOXD_CPUS=1 BOXD_MEMORY=256M BOXD_DISK=256M
    export PATH BOXD_HOME BOXD_REGISTRY BOXD_HTTP_PORT BOXD_HTTPS_PORT BOXD_DNS_PORT BOXD_SSH_PORT
    export BOXD_IMAGE BOXD_CPUS BOXD_MEMORY BOXD_DISK
    "$package" up >"$work/up" 2>&1 || fail "up said: $(cat "$work/up")"
    status=0
    {
        "$package" new --name one && [ "$("$package" exec one 'echo $((6 * 7))')" = 42 ] && "$package" destroy one
    } >"$work/box" 2>&1 || status=$?
    "$package" down --boxes >"$work/down" 2>&1 || fail "down said: $(cat "$work/down")"
    [ "$status" -eq 0 ] || fail "a box said: $(cat "$work/box")"
)

# A damaged file is refused, and an unpacked one that belongs to somebody else is not run.
head -c 1000000 "$package" >"$work/half"
chmod 755 "$work/half"
! BOXD_PROGRAM_CACHE=$work/other "$work/half" version >"$work/half.out" 2>&1 || fail "half a file ran"
grep -q damaged "$work/half.out" || fail "half a file said: $(cat "$work/half.out")"
chown -R 65534 "$work/cache"/*
! "$package" version >/dev/null 2>&1 || fail "a program of somebody else ran"
