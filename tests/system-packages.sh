#!/bin/sh
# Installs system packages where that is allowed: as root on a Debian machine. Packages that are
# named have to come. Without names they are what tests need besides Python packages: a browser, the
# library that its driver is linked with, a PDF reader, a PostgreSQL server, Java for Spark, ReadStat
# to make SAS files and OpenSSL to make certificates. Where one does not come, tests are skipped by
# its name.
set -eu

needed() {
    command -v chromium >/dev/null 2>&1 || echo chromium
    /sbin/ldconfig -p 2>/dev/null | grep -q libatomic.so.1 || echo libatomic1
    command -v pdftotext >/dev/null 2>&1 || echo poppler-utils
    command -v readstat >/dev/null 2>&1 || echo readstat
    command -v java >/dev/null 2>&1 || echo default-jre-headless
    command -v openssl >/dev/null 2>&1 || echo openssl
    command -v pg_ctl >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/pg_ctl >/dev/null 2>&1 ||
        echo postgresql
}

install() {
    [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1 || return 1
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

if [ $# -gt 0 ]; then
    install "$@" || {
        echo "Missing: $*. As root on Debian make installs it; otherwise ask your administrator for $*."
        exit 1
    }
    exit 0
fi
# shellcheck disable=SC2046  # names of packages, one a word
set -- $(needed)
[ $# -eq 0 ] || install "$@" ||
    echo "Not installed (needs root on Debian): $*. Tests that need them are skipped."
