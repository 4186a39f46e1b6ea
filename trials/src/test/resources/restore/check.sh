# Run in the box, as root, after each thing that was done to it.
set -eu
cd /srv/work
expect() {
    [ "$2" = "$3" ] || {
        echo "$1: expected '$2', got '$3'"
        exit 1
    }
}

sum=$(printf boxd | sha256sum | cut -d' ' -f1)
expect "a Go program" "$sum" "$(./hello)"
touch hello.go
go build -o hello.new hello.go
expect "a Go program just built" "$sum" "$(./hello.new)"
expect "Node" 42 "$(node -e 'setTimeout(() => console.log(6 * 7), 10)')"
expect "a JVM" 2002000 "$(java -cp . Hello)"

# Money is moved, never made: the sums of all tables agree unless something was lost or torn.
query() {
    su postgres -c "psql -qtA load -c \"$1\""
}
expect "accounts and history" t "$(query 'BEGIN ISOLATION LEVEL REPEATABLE READ;
    SELECT (SELECT sum(abalance) FROM pgbench_accounts) = (SELECT coalesce(sum(delta), 0) FROM pgbench_history)
       AND (SELECT sum(tbalance) FROM pgbench_tellers) = (SELECT sum(bbalance) FROM pgbench_branches)
       AND (SELECT sum(abalance) FROM pgbench_accounts) = (SELECT sum(bbalance) FROM pgbench_branches); COMMIT')"
su postgres -c '/usr/lib/postgresql/*/bin/pg_amcheck --install-missing --heapallindexed load'
systemctl restart postgresql
until su postgres -c 'pg_isready -q'; do sleep 0.2; done
expect "the database after its restart" 100000 "$(query 'SELECT count(*) FROM pgbench_accounts')"

expect "a container" "in a container" "$(docker run --rm --network none local/tiny /bin/busybox echo in a container)"

apt-get -q -y install ./boxd-trial.deb >/dev/null
expect "an installed package" yes "$(cat /usr/share/boxd-trial/here)"
apt-get -q -y remove boxd-trial >/dev/null

expect "failed units" "" "$(systemctl list-units --failed --no-legend --plain | cut -d' ' -f1 | grep -v '^$' || true)"
echo "all is well"
