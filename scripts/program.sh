# Sourced by ./dev and ./boxd after toolchain.sh: puts the built parts together into a program that runs by itself.
# shellcheck shell=sh

# What the command needs; the server needs all jars.
CLI_JARS='boxd-cli boxd-console boxd-verbs boxd-common jackson-core'

# assemble_program FOLDER: jars, native programs and launcher; the runtime is there already.
assemble_program() {
    mkdir -p "$1/lib" "$1/programs"
    cp dist/target/lib/*.jar "$1/lib/"
    cp target/release/boxd-agent target/release/boxd-launcher "$1/programs/"
    cp target/shared/release/libboxd_readonly_base.so "$1/programs/"
    cp scripts/launch.sh "$1/launch"
    chmod 755 "$1/launch" "$1"/programs/*
    chmod 644 "$1"/lib/*
    for jar in $CLI_JARS; do say "$jar.jar"; done >"$1/cli.jars"
    {
        cat "$1/cli.jars"
        (cd "$1/lib" && LC_ALL=C ls ./*.jar) | sed 's|^\./||' | grep -v -x -F -f "$1/cli.jars"
    } >"$1/server.jars"
}

# train FOLDER PART: lets the program do once what it mostly does, and keeps the classes that this took in an archive
# from which they load at once. From the same jars comes the same archive: what depends on the moment is left out of
# the list, and no program of this host is found. That is why it is not one of the newer caches, which differ each time.
train() {
    BOXD_TRAINING=list PATH=/nowhere "$1/launch" "$2" >/dev/null 2>"$1/training.log" || {
        cat "$1/training.log" >&2
        fail "the training of the $2 failed"
    }
    grep -v '^[#]' "$1/$2.list" | grep -v '^@cp ' | sed 's/ id: [0-9]*$//' | LC_ALL=C sort -u >"$1/$2.classes"
    BOXD_TRAINING=archive "$1/launch" "$2" >"$1/training.log" 2>&1 || {
        cat "$1/training.log" >&2
        fail "the archive of the $2's classes could not be made"
    }
    rm "$1/$2.list" "$1/$2.classes" "$1/training.log"
}

# train_all FOLDER: the command, and the server where it can be trained.
train_all() {
    train "$1" cli
    if "$JAVA_HOME/bin/jar" tf "$1/lib/boxd-server.jar" | grep -q '^io/boxd/server/Training.class$'; then
        train "$1" server
    fi
}

# The program of this tree, in target/program. Complete or not there at all.
make_program() {
    rm -rf target/program.new
    mkdir -p target/program.new
    ln -s "$JAVA_HOME" target/program.new/runtime
    assemble_program target/program.new
    train_all target/program.new
    rm -rf target/program
    mv target/program.new target/program
}
