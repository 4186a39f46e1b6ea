# In the box, as root: starts a web server, a load on the database and a build without end; or looks whether they go on.
set -eu
cd /srv/work
case $1 in
start)
    mkdir -p www
    echo "from the golden box" >www/page
    setsid python3 -m http.server -d www 8000 >web.log 2>&1 &
    setsid su postgres -c 'pgbench -c 1 -R 5 -T 3600 load' >load.log 2>&1 &
    setsid sh -c 'while :; do go build -a -o endless hello.go || exit; echo built >>builds; done' >build.log 2>&1 &
    until curl -sf localhost:8000/page; do sleep 0.5; done
    ;;
check)
    count() {
        su postgres -c "psql -qtA load -c 'SELECT count(*) FROM pgbench_history'"
    }
    [ "$(curl -sf --max-time 60 localhost:8000/page)" = "from the golden box" ]
    pgrep -f 'go build' >/dev/null
    before=$(count)
    deadline=$(($(date +%s) + 120))
    until [ "$(count)" -gt "$before" ]; do
        [ "$(date +%s)" -lt "$deadline" ]
        sleep 0.5
    done
    echo serves
    ;;
esac
