#!/bin/sh
# Starts the program in whose folder it lies: the command itself, or what is the server's, each as fast as it can.
set -eu

program=${0%/*}

# Words must arrive as they were typed, also where no language is set.
case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
*UTF-8 | *utf8 | *utf-8) ;;
*)
    LC_ALL=C.UTF-8
    export LC_ALL
    ;;
esac

case ${BOXD_TRAINING:-}:${1:-} in
cli:*) part=cli main=io.boxd.cli.Training cache=AOTCacheOutput ;;
server:*) part=server main=io.boxd.server.Training cache=AOTCacheOutput ;;
:up | :down | :serve | :doctor) part=server main=io.boxd.cli.Main cache=AOTCache ;;
*) part=cli main=io.boxd.cli.Main cache=AOTCache ;;
esac

path=
while read -r jar; do
    path=$path:$program/lib/$jar
done <"$program/$part.jars"

# The log of Java itself is off: a cache that does not fit, after an update of Java, only costs time.
case $part in
cli)
    exec "$program/runtime/bin/java" "-XX:$cache=$program/$part.aot" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
        -XX:-UsePerfData -Xlog:disable -cp "${path#:}" "$main" "$@"
    ;;
server)
    exec "$program/runtime/bin/java" "-XX:$cache=$program/$part.aot" -XX:-UsePerfData -Xlog:disable \
        -XX:+ExitOnOutOfMemoryError --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \
        "-Dboxd.program=$program" "-Dboxd.command=${BOXD_COMMAND:-$program/launch}" \
        -cp "${path#:}" "$main" "$@"
    ;;
esac
