# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Sourced after command.sh, at the top of the tree. What builds the documentation site: the tools are in
# target/site-tools, the site in target/site.

# The packages that site/package-lock.json names, of exactly those versions and checksums.
install_site_tools() {
    mkdir -p target/site-tools
    if ! cmp -s site/package-lock.json target/site-tools/installed; then
        cp site/package.json site/package-lock.json site/.npmrc target/site-tools/
        npm --prefix target/site-tools ci --silent --userconfig /dev/null \
            || die "npm could not install what site/package-lock.json names"
        cp site/package-lock.json target/site-tools/installed
    fi
}

# build_site BASE: the path below which the site will be served.
build_site() {
    local tools=target/site-tools module
    rm -rf "$tools/pages" "$tools/.vitepress" target/site
    cp -r site/. "$tools/"
    node "$tools/stage.mjs" "$root" "$tools/pages"
    for module in transport-rdma transport-efa; do
        if [[ -d $module/target/apidocs ]]; then
            mkdir -p "$tools/pages/public/javadoc"
            cp -r "$module/target/apidocs" "$tools/pages/public/javadoc/$module"
        fi
    done
    (cd "$tools" && PROJECT_ROOT=$root SITE_OUT=$root/target/site node_modules/.bin/vitepress build --base "$1") \
        > target/site-tools/log 2>&1 || { cat target/site-tools/log >&2; die "VitePress could not build the site"; }
}
