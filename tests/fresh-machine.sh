#!/bin/bash
# Tries what the README promises on fresh machines: a Debian with Python, make and git and nothing
# else, on which `make demo` and `make test` run in a clone of what is committed. Once as root, who
# may install what is missing, and once as an ordinary user, who may not.
#
#   tests/fresh-machine.sh [root] [user]   on which machines; on both unless told
#   FRESH=/var/tmp                         the folder in which the machines are made
#   TEST="test PYTEST_ARGS='--cov-fail-under=0 tests/cli'"   in place of all tests
#
# Machines are folders that are entered by chroot, which needs root. They reach packages as this
# machine does: with its settings of apt and pip, its proxies and its certificates.
set -euo pipefail

# In namespaces of their own mounts and processes end with this script, however it ends.
[ -n "${APART:-}" ] || APART=1 exec unshare --mount --pid --fork --kill-child "$0" "$@"
[ "$(id -u)" -eq 0 ] || { echo "Expected root, who may make machines and enter them."; exit 1; }

HERE=$(cd "$(dirname "$0")/.." && pwd)
FOLDER=$(mktemp --directory "${FRESH:-/var/tmp}/fresh-XXXXXX")
NEW=$FOLDER/new
TEST=${TEST:-test}
TOLD=()
FAILED=0

finish() {
    findmnt --list --noheadings --output TARGET | { grep "^$FOLDER/" || true; } | sort --reverse |
        xargs --no-run-if-empty --delimiter '\n' umount --lazy
    rm --recursive --force --one-file-system "$FOLDER"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

# -- what a fresh machine has

make_machine() {
    local suite
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    command -v debootstrap >/dev/null || { apt-get update -qq && apt-get install -y -qq debootstrap; }
    echo "Making a machine with Python, make and git ..."
    debootstrap --variant=minbase --include=python3,make,git,ca-certificates \
        "$suite" "$NEW" "$(mirror_of "$suite")" >"$FOLDER/log" || { tail "$FOLDER/log"; exit 1; }
    carry /etc/hosts /etc/resolv.conf /etc/apt /usr/share/keyrings /etc/pip.conf \
        /etc/ca-certificates.conf /usr/share/ca-certificates /usr/local/share/ca-certificates \
        /etc/ssl/certs
    chroot "$NEW" useradd --create-home ana
    for home in /root /home/ana; do
        for settings in .config/pip .pip; do
            [ ! -e "$HOME/$settings" ] || install_in "$HOME/$settings" "$NEW$home/$settings"
        done
    done
}

mirror_of() {  # where this machine has a suite of Debian from
    apt-get indextargets --format "\$(REPO_URI)" "Created-By: Packages" "Release: $1" |
        sed --quiet 1p
}

carry() {  # what this machine has of some files and folders
    local path
    for path in "$@"; do
        [ ! -e "$path" ] || install_in "$path" "$NEW$path"
    done
}

install_in() {
    rm --recursive --force "$2"
    mkdir --parents "$(dirname "$2")"
    cp --recursive --dereference --preserve=mode,timestamps "$1" "$2"
}

reaching() {  # the variables by which packages are reached
    local name
    for name in $(compgen -e); do
        case $name in
        PIP_* | *_proxy | *_PROXY | SSL_CERT_* | *_CA_BUNDLE) echo "$name=${!name}" ;;
        esac
    done
}

local_indexes() {  # the folders that settings of pip and apt name
    {
        reaching | cut --delimiter = --fields 2-
        cat /etc/pip.conf "$HOME"/{.config/pip,.pip}/pip.conf /etc/apt/sources.list{,.d/*} || true
    } 2>/dev/null | grep --only-matching --extended-regexp '(^|[ =:])(file://)?/[^ :,]+' |
        sed --regexp-extended 's#^[ =:]?(file://)?##; s#/simple/?$##' | sort --unique |
        while read -r path; do
            case $path in
            /etc/* | /usr/*) ;;
            *) [ ! -d "$path" ] || echo "$path" ;;
            esac
        done
}

# -- runs

start_machine() {  # $1: its name
    local machine=$FOLDER/$1 path
    cp --archive --reflink=auto "$NEW" "$machine"
    mount --types proc proc "$machine/proc"
    mount --bind /sys "$machine/sys"
    mount --bind /dev "$machine/dev"
    mount --types devpts devpts "$machine/dev/pts"
    mount --types tmpfs tmpfs "$machine/dev/shm"
    local_indexes | while read -r path; do
        mkdir --parents "$machine$path"
        mount --bind --options ro "$path" "$machine$path"
    done
}

inside() {  # $1: the machine, $2: who, $3: a command for the shell; where there is a clone, in it
    local home variables
    home=$(chroot "$FOLDER/$1" getent passwd "$2" | cut --delimiter : --fields 6)
    mapfile -t variables < <(reaching)
    chroot --userspec "$2" "$FOLDER/$1" env --ignore-environment "${variables[@]}" HOME="$home" \
        USER="$2" LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        sh -c "cd; [ ! -d tacita ] || cd tacita; $3"
}

clone() {  # $1: the machine, $2: whose
    local home
    home=$(chroot "$FOLDER/$1" getent passwd "$2" | cut --delimiter : --fields 6)
    git clone --quiet --no-hardlinks "$HERE" "$FOLDER/$1$home/tacita"
    chroot "$FOLDER/$1" chown --recursive "$2:" "$home/tacita"
}

attempt() {  # $1: the machine, $2: who, $3: the command
    local begun=$SECONDS result=works
    echo "== $2: $3"
    if ! inside "$1" "$2" "$3" 2>&1 | tee "$FOLDER/log"; then
        result=FAILS
        FAILED=1
    fi
    TOLD+=("$2: $3 $result ($(((SECONDS - begun + 59) / 60)) min)")
    mapfile -t -O ${#TOLD[@]} TOLD < <(sed --quiet '/^=* skipped =*$/,$ s/^/    /p' "$FOLDER/log")
}

as_root() {
    start_machine root
    clone root root
    attempt root root "make demo"
    attempt root root "CI=true make $TEST"  # nothing that make installs may be missing
}

as_user() {
    start_machine user
    clone user ana
    refused
    inside user root "apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null"
    attempt user ana "make demo"
    attempt user ana "make $TEST"
}

refused() {  # without python3-venv an ordinary user is told what to ask for
    local said
    if said=$(inside user ana "make demo" 2>&1) || ! grep "ask your administrator for python3-venv" <<<"$said"; then
        TOLD+=("ana: nobody says that python3-venv is missing: $said")
        FAILED=1
    fi
}

[ -z "$(git -C "$HERE" status --porcelain)" ] || echo "What is not committed is left out."
make_machine
[ $# -gt 0 ] || set -- root user
for who in "$@"; do
    case $who in
    root) as_root ;;
    user) as_user ;;
    *) echo "Expected root or user, found $who." && exit 1 ;;
    esac
done
printf '%s\n' "" "${TOLD[@]}"
exit "$FAILED"
