#!/bin/sh
# Turns a freshly bootstrapped tree into a box: customize.sh ROOT FILES MODULES.
# Runs on the build host as root; only what must run inside goes through chroot.
set -eu
root=$1 files=$2 modules=$3

# Our files. Everything belongs to root and is readable, whatever the build host's umask was.
(cd "$files" && find . -type f) | while read -r file; do
    mode=0644
    case $file in
        ./etc/sudoers.d/*) mode=0440 ;;
        ./usr/lib/boxd/*) mode=0755 ;;
    esac
    rm -f "$root/$file"
    install -D -m "$mode" -o root -g root "$files/$file" "$root/$file"
done
install -d -m 0755 "$root/etc/boxd/on-fork.d"
# The agent by its other name: the command with which programs say that the box is busy.
ln -sf /run/boxd/agent "$root/usr/local/bin/boxd"

# The kernel itself comes from the host; its modules are not a package here, so that no upgrade
# inside a box can take away those of the running kernel.
mkdir -p "$root/lib/modules"
cp -a "$modules"/. "$root/lib/modules/"
chown -R root:root "$root/lib/modules"
for release in "$root"/lib/modules/*; do
    chroot "$root" depmod "${release##*/}"
done

chroot "$root" groupadd --force --system docker
chroot "$root" useradd --uid 1000 --create-home --shell /bin/bash --groups sudo,docker boxd

# A placeholder; the agent gives each box its own. Left empty, systemd would mount over the file.
echo b0c5b0c5b0c5b0c5b0c5b0c5b0c5b0c5 > "$root/etc/machine-id"

# Each command in a login shell reads this, and where programs start slowly one more of them is felt.
sed -i 's/"$(id -u)"/"${EUID:-$(id -u)}"/' "$root/etc/profile"

units=$root/etc/systemd/system
enable() {
    mkdir -p "$units/$2.wants"
    ln -sf "/etc/systemd/system/$1" "$units/$2.wants/$1"
}
mask() {
    for unit; do
        ln -sf /dev/null "$units/$unit"
    done
}
enable boxd-agent.service sysinit.target
enable boxd-network.service sysinit.target
ln -sf /usr/lib/systemd/system/multi-user.target "$units/default.target"

# Timers would wake, and write to, every idle box at the same time.
mask apt-daily.timer apt-daily-upgrade.timer apt-daily.service apt-daily-upgrade.service \
    dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer man-db.timer \
    motd-news.timer systemd-tmpfiles-clean.timer
# There is no keyboard, no terminal and no password: the console only logs.
mask getty@tty1.service serial-getty@ttyS0.service console-getty.service getty-static.service \
    systemd-ask-password-console.path systemd-ask-password-wall.path \
    systemd-vconsole-setup.service
# Needless in a machine whose seed, clock and log come from its host, and slow in emulation.
mask systemd-random-seed.service systemd-update-utmp.service systemd-update-utmp-runlevel.service \
    systemd-pstore.service systemd-timesyncd.service systemd-networkd-wait-online.service \
    systemd-machine-id-commit.service systemd-journal-flush.service \
    systemd-journal-catalog-update.service systemd-hwdb-update.service \
    systemd-firstboot.service systemd-boot-random-seed.service kmod-static-nodes.service \
    modprobe@drm.service modprobe@efi_pstore.service modprobe@configfs.service modprobe@fuse.service \
    modprobe@dm_mod.service modprobe@loop.service \
    sys-kernel-debug.mount sys-kernel-tracing.mount sys-kernel-config.mount \
    sys-fs-fuse-connections.mount dev-hugepages.mount rsync.service nftables.service
mkdir -p "$root/etc/systemd/system-generators"
for generator in systemd-cryptsetup-generator systemd-getty-generator systemd-gpt-auto-generator \
    systemd-hibernate-resume-generator systemd-integritysetup-generator \
    systemd-veritysetup-generator systemd-rc-local-generator systemd-bless-boot-generator \
    systemd-system-update-generator systemd-run-generator systemd-debug-generator; do
    ln -sf /dev/null "$root/etc/systemd/system-generators/$generator"
done

# Started by the first program that calls them, over D-Bus's socket: most boxes never need either.
rm -f "$root/usr/lib/systemd/system/multi-user.target.wants/systemd-logind.service" \
    "$root/usr/lib/systemd/system/multi-user.target.wants/dbus.service"
# One program start each at boot, for a file type that nobody executes and an empty list.
rm -f "$root"/usr/lib/binfmt.d/python3* "$root/etc/modules-load.d/modules.conf"

# Nothing of the build host stays behind.
rm -f "$root/etc/apt/apt.conf.d/99mmdebstrap" "$root/etc/dpkg/dpkg.cfg.d/99mmdebstrap"
rm -rf "$root"/var/cache/apt/*.bin "$root"/var/log/*.log "$root"/var/log/apt "$root"/tmp/* \
    "$root"/var/cache/ldconfig "$root"/var/lib/systemd/random-seed

# Tells systemd that users, caches and the linker's index are up to date with /usr.
touch "$root/usr" "$root/etc/.updated" "$root/var/.updated"
