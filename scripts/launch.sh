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
list:cli | archive:cli) part=cli main=io.boxd.cli.Training ;;
list:server | archive:server) part=server main=io.boxd.server.Training ;;
*:up | *:down | *:serve | *:doctor | *:pass | *:state) part=server main=io.boxd.server.HostCommands ;;
*) part=cli main=io.boxd.cli.Main ;;
esac

path=
while read -r jar; do
    path=$path:$program/lib/$jar
done <"$program/$part.jars"
path=${path#:}

# Java, with what the archive of classes must find the same when it is made and when it is used. Java's own log is
# off: an archive that does not fit, after an update of Java, only costs time.
java() {
    exec "$program/runtime/bin/java" -XX:-UsePerfData -Xlog:disable -cp "$path" "$@"
}

cli() {
    java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "$@"
}

server() {
    java -Xmx768m -XX:+ExitOnOutOfMemoryError --enable-native-access=ALL-UNNAMED \
        --sun-misc-unsafe-memory-access=allow "-Dboxd.programs=$program/programs" \
        "-Dboxd.command=${BOXD_COMMAND:-$program/launch}" "$@"
}

case ${BOXD_TRAINING:-} in
list) "$part" "-XX:DumpLoadedClassList=$program/$part.list" "$main" ;;
archive)
    "$part" -Xshare:dump "-XX:SharedClassListFile=$program/$part.classes" \
        "-XX:SharedArchiveFile=$program/$part.jsa"
    ;;
*)
    if [ -e "$program/$part.jsa" ]; then
        "$part" "-XX:SharedArchiveFile=$program/$part.jsa" "$main" "$@"
    else
        "$part" "$main" "$@"
    fi
    ;;
esac
