# Sourced by ./dev and ./boxd from the root of the tree: finds or installs what builds need, and builds.
# shellcheck shell=sh

HOME=${HOME:-/root}
PATH="$HOME/.cargo/bin:$PATH:/usr/sbin:/sbin"
export HOME PATH

JAVA_NEEDED=25
RUST_NEEDED=63 # as in 1.63

# What building needs: command, Debian package, reason. "file:" asks for a file.
build_tools() {
    cat <<'TABLE'
cc gcc links the Rust programs
file:/usr/include/stdio.h libc6-dev the C library that the static Rust programs are linked with
cargo cargo builds the guest agent, the launcher and the preload library
mvn maven builds the Java modules
TABLE
}

say() {
    printf '%s\n' "$*"
}

fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

is_root() {
    [ "$(id -u)" -eq 0 ]
}

as_root() {
    if is_root; then "$@"; else sudo "$@"; fi
}

# --- what must be installed -------------------------------------------------------------------

present() {
    case $1 in
    file:*) [ -e "${1#file:}" ] ;;
    static:*)
        # A dynamic program would not run in a ramdisk that has no libraries.
        present_path=$(command -v "${1#static:}") && ! ldd "$present_path" >/dev/null 2>&1
        ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

apt_updated=no
apt_update() {
    if [ "$apt_updated" = no ]; then
        as_root apt-get -q -q update
        apt_updated=yes
    fi
}

apt_install() {
    apt_update
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -q -q -y -o Dpkg::Use-Pty=0 --no-install-recommends install "$@"
}

can_install() {
    command -v apt-get >/dev/null 2>&1 && { is_root || command -v sudo >/dev/null 2>&1; }
}

# Installs what is missing of the table on the input.
install_missing_tools() {
    missing=$(while read -r command package reason; do
        present "$command" || say "$package $command $reason"
    done)
    [ -n "$missing" ] || return 0
    say "Missing on this machine:"
    say "$missing" | while read -r package command reason; do
        say "  ${command#*:} (Debian package $package): $reason"
    done
    packages=$(say "$missing" | cut -d' ' -f1 | sort -u | tr '\n' ' ')
    if ! command -v apt-get >/dev/null 2>&1; then
        fail "install the programs listed above (the package names are Debian's), then run this again."
    fi
    can_install || fail "as root, run: apt-get install ${packages% }"
    say "Installing: ${packages% }"
    # shellcheck disable=SC2086 # a list of package names
    apt_install $packages
}

java_major() {
    # The release file answers without starting a virtual machine.
    sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null
}

new_enough_jdk() {
    [ -x "$1/bin/javac" ] || return 1
    major=$(java_major "$1")
    [ -n "$major" ] && [ "$major" -ge "$JAVA_NEEDED" ]
}

find_jdk() {
    on_path=$(command -v javac || true)
    if [ -n "$on_path" ]; then
        on_path=$(dirname "$(dirname "$(readlink -f "$on_path")")")
    fi
    for home in "${JAVA_HOME:-}" "$on_path" /usr/lib/jvm/* /opt/*jdk* /opt/java/* /usr/java/* \
        "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* "$HOME"/.local/share/mise/installs/java/*; do
        if [ -n "$home" ] && new_enough_jdk "$home"; then
            JAVA_HOME=$home
            export JAVA_HOME
            return 0
        fi
    done
    return 1
}

need_jdk() {
    find_jdk && return 0
    package=openjdk-$JAVA_NEEDED-jdk-headless
    if can_install; then
        apt_update
        if [ -n "$(apt-cache show "$package" 2>/dev/null)" ]; then
            say "No JDK $JAVA_NEEDED or newer here. Installing: $package"
            apt_install "$package"
            find_jdk && return 0
        fi
    fi
    cat >&2 <<HELP
${0##*/}: boxd needs a JDK $JAVA_NEEDED or newer, and this machine has none that I can find or install.
Do one of these, then run this again:
  - install your distribution's JDK $JAVA_NEEDED (on Debian and Ubuntu, where there is one: $package);
  - unpack a JDK $JAVA_NEEDED archive, for example Eclipse Temurin's, into /usr/lib/jvm/;
  - with SDKMAN: sdk install java $JAVA_NEEDED-tem;
  - if it is somewhere else: export JAVA_HOME=/where/it/is
HELP
    exit 1
}

need_rust() {
    minor=$(cargo --version | sed -n 's/^cargo 1\.\([0-9]*\)\..*/\1/p')
    [ "${minor:-0}" -ge "$RUST_NEEDED" ] ||
        fail "boxd needs Rust 1.$RUST_NEEDED or newer, this is $(cargo --version): install a newer cargo and rustc."
}

image_cache() {
    if [ -z "${BOXD_IMAGE_CACHE:-}" ]; then
        if is_root; then
            BOXD_IMAGE_CACHE=/var/cache/boxd
        else
            BOXD_IMAGE_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/boxd
        fi
    fi
    export BOXD_IMAGE_CACHE
}

# --- building ---------------------------------------------------------------------------------

# As quiet as -q, except that warnings are shown: here a compiler's warning fails the build. Nothing is
# installed into the user's Maven repository, so two checkouts never see each other's classes.
maven() {
    mvn -B -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Dstyle.color=never \
        "-Dboxd.image.cache=$BOXD_IMAGE_CACHE" "$@"
}

build_rust() {
    cargo build -q --release || return 1
    # A library that is loaded into QEMU cannot bring a C library of its own.
    RUSTFLAGS="-C target-feature=-crt-static" \
        cargo build -q --release -p boxd-readonly-base -p boxd-forgetful --target-dir target/shared
}

# The two compilers side by side: neither keeps two processors busy. $1 builds the Rust programs.
build_sides() {
    "$1" &
    rust=$!
    java_status=0
    maven -T 2 package -DskipTests || java_status=$?
    wait "$rust" && [ "$java_status" -eq 0 ]
}
