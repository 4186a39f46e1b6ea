# Sourced by ./dev and ./boxd after toolchain.sh: puts the built parts together into a program that runs by itself.
# shellcheck shell=sh

# What the command needs; the server needs all jars.
CLI_JARS='boxd-cli boxd-verbs boxd-common jackson-core'

# assemble_program FOLDER RUNTIME: jars, native programs and launcher; the runtime is a link, or a folder that is there.
assemble_program() {
    program=$1
    mkdir -p "$program/lib" "$program/programs"
    cp dist/target/lib/*.jar "$program/lib/"
    cp target/release/boxd-agent target/release/boxd-launcher "$program/programs/"
    cp target/shared/release/libboxd_readonly_base.so "$program/programs/"
    cp scripts/launch.sh "$program/launch"
    chmod 755 "$program/launch"
    for jar in $CLI_JARS; do say "$jar.jar"; done >"$program/cli.jars"
    {
        cat "$program/cli.jars"
        (cd "$program/lib" && LC_ALL=C ls ./*.jar) | sed 's|^\./||' | grep -v -x -F -f "$program/cli.jars"
    } >"$program/server.jars"
    [ -e "$program/runtime" ] || ln -s "$2" "$program/runtime"
}

# train FOLDER: lets the program do once what it mostly does and keeps what it loaded, so that it starts at once.
train() {
    BOXD_TRAINING=cli sh "$1/launch" training >/dev/null
    if "$JAVA_HOME/bin/jar" tf "$1/lib/boxd-server.jar" | grep -q '^io/boxd/server/Training.class$'; then
        BOXD_TRAINING=server sh "$1/launch" training >/dev/null
    fi
}

# The program of this tree, in target/program. Complete or not there at all.
make_program() {
    rm -rf target/program.new
    assemble_program target/program.new "$JAVA_HOME"
    train target/program.new
    rm -rf target/program
    mv target/program.new target/program
}
