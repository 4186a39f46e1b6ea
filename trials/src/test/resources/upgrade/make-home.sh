#!/bin/sh
# Makes home.tar.gz anew: what a server of the given tree has written down, without machines and their disks, which
# are of the host that they were made on. As root: sh make-home.sh TREE
set -eu

here=$(cd "$(dirname "$0")" && pwd)
boxd=$(cd "$1" && pwd)/boxd
folder=$(mktemp -d)
BOXD_HOME=$folder/home HOME=$folder/person
BOXD_REGISTRY=/run/boxd-test/registry BOXD_HTTP_PORT=0 BOXD_HTTPS_PORT=0
BOXD_IMAGE=tiny BOXD_CPUS=1 BOXD_MEMORY=256M BOXD_DISK=256M BOXD_IDLE=off
export BOXD_HOME HOME BOXD_REGISTRY BOXD_HTTP_PORT BOXD_HTTPS_PORT BOXD_IMAGE BOXD_CPUS BOXD_MEMORY BOXD_DISK BOXD_IDLE
mkdir "$HOME"

"$boxd" up
"$boxd" org create red
"$boxd" org pool red --boxes 50 --cpus 64 --memory 256G
"$boxd" token create ci --verbs list,exec --json >"$folder/home/ci.json"
"$boxd" new --name a --label turn=1 --org red --shared
"$boxd" down
"$boxd" up
"$boxd" label a turn=2
"$boxd" webhook add https://example.org/hook --events failed
kill -9 "$("$boxd" status --json | sed 's/.*"pid":\([0-9]*\).*/\1/')"
cp -a "$folder/home" "$folder/kept"

"$boxd" up
"$boxd" destroy a
"$boxd" down --boxes
cd "$folder/kept"
rm -rf bases cells layers snapshots qemu log checked server.json lock record.db* reserve
rm -rf authority* trust key state/reserve
tar -czf "$here/home.tar.gz" --owner=0 --group=0 .
rm -rf "$folder"
ls -l "$here/home.tar.gz"
