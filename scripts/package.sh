# Sourced by ./dev after program.sh: one file that is the whole program, for hosts without Java or Maven.
# shellcheck shell=sh

package_version() {
    sed -n 's|^  <version>\(.*\)</version>$|\1|p' pom.xml | head -n 1
}

# One moment for everything in the package, so that the same inputs give the same bytes.
package_moment() {
    sed -n 's|.*<project.build.outputTimestamp>\(.*\)</project.build.outputTimestamp>.*|\1|p' pom.xml
}

# The parts of Java that the jars use. What jdeps would add (java.desktop, for annotations of beans) they do without.
PACKAGE_MODULES=java.base,java.logging,java.management,java.naming,java.net.http,java.sql,java.xml
PACKAGE_MODULES=$PACKAGE_MODULES,jdk.management,jdk.net,jdk.unsupported,jdk.zipfs

# package_stage FOLDER: the program with a runtime of its own, every file with the same time.
package_stage() {
    rm -rf "$1"
    mkdir -p "$1"
    "$JAVA_HOME/bin/jlink" --add-modules "$PACKAGE_MODULES" --output "$1/runtime" \
        --strip-java-debug-attributes --no-header-files --no-man-pages --compress zip-0
    assemble_program "$1"
    # The archive of classes notes the jars' times, so they are set before it is made.
    find "$1" -exec touch -h -d "$(package_moment)" {} +
    train_all "$1"
    # For Java programs without an archive of their own.
    "$1/runtime/bin/java" -Xshare:dump -Xlog:disable
    find "$1" -exec touch -h -d "$(package_moment)" {} +
}

# package_payload FOLDER: its bytes, in an order and with owners that do not depend on this machine.
package_payload() {
    LC_ALL=C tar -C "$1" --sort=name --owner=0 --group=0 --numeric-owner --format=gnu \
        --mode=go+rX,go-w -cf - . | gzip -n -9
}

# package_file FOLDER FILE: the stub and the payload behind it.
package_file() {
    package_payload "$1" >"$2.payload"
    hash=$(sha256sum "$2.payload" | cut -d' ' -f1)
    sed -e "s/@VERSION@/$(package_version)/" -e "s/@HASH@/$hash/" scripts/stub.sh >"$2.stub"
    lines=$(($(wc -l <"$2.stub") + 1))
    sed -e "s/@LINES@/$lines/" "$2.stub" | cat - "$2.payload" >"$2.new"
    chmod 755 "$2.new"
    mv "$2.new" "$2"
    rm "$2.payload" "$2.stub"
}

make_package() {
    maven -pl dist -am org.cyclonedx:cyclonedx-maven-plugin:makeBom
    folder=target/package
    mkdir -p "$folder"
    name=boxd-$(package_version)-linux-$(uname -m)
    package_stage "$folder/stage"
    package_file "$folder/stage" "$folder/$name"
    (cd "$folder" && sha256sum "$name" >"$name.sha256")
    cp dist/target/bom.json "$folder/$name.sbom.json"
    say "$folder/$name ($(($(wc -c <"$folder/$name") >> 20)) MiB)"
}

# check_package: the same bytes once more, and a run where there is no Java. Needs root, to hide the Java of this host.
check_package() {
    name=boxd-$(package_version)-linux-$(uname -m)
    # In the same folder: archives of classes name the jars that they were made from.
    package_stage target/package/stage
    package_file target/package/stage target/package/again
    cmp "target/package/$name" target/package/again || fail "two builds of the same tree differ"
    rm target/package/again
    (cd target/package && sha256sum -c --quiet "$name.sha256")
    is_root || fail "the rest of the check needs root"
    unshare -m sh scripts/check-package.sh "target/package/$name"
    say "The package is reproducible and runs without Java."
}
