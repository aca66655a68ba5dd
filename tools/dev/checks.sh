# Installs the additional tools of ./dev test, format and docs: clang-format, the second compiler, a browser, MkDocs,
# NumPy and Conan. ./dev sources this file, which uses its functions.

clang_format() {
    local candidate
    for candidate in clang-format-16 build/tools/bin/clang-format clang-format; do
        if have "$candidate" && [[ $("$candidate" --version) == *" version 16."* ]]; then
            printf '%s' "$candidate" && return 0
        fi
    done
    return 1
}

# Formatting differs between versions of clang-format, so only version 16 is used. `need_clang_format test` does not
# fail without it.
need_clang_format() {
    clang_format >/dev/null && return 0
    if offered clang-format-16; then
        apt_install clang-format-16
    elif have python3 && python3 -m pip --version >/dev/null 2>&1; then
        say "Fetching clang-format 16 from PyPI into build/tools"
        python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
            --target build/tools clang-format==16.0.6 >&2 || true
    fi
    clang_format >/dev/null && return 0
    say "No clang-format 16 to be had here: install it (Debian: clang-format-16; PyPI: clang-format==16.0.6)"
    [[ ${1:-} == test ]] || exit 2
}

# Installs the second compiler with its sanitizers, a package of its own; does without it where the system offers no
# clang++ 16 or newer.
need_clang() {
    local clang version
    if clang=$(newest_of clang++ 16); then
        can_sanitize "$clang" address,undefined && return 0
        version=$("$clang" -dumpversion)
        offered "libclang-rt-${version%%.*}-dev" && apt_install "libclang-rt-${version%%.*}-dev"
        return 0
    fi
    for version in {16..19}; do
        if offered "clang-$version"; then
            apt_install "clang-$version" "libclang-rt-$version-dev"
            return 0
        fi
    done
    say "No clang++ 16 or newer to be had here: checking with $CXX alone"
}

# offered PACKAGE: whether the system has such a Debian package to install.
offered() { have apt-cache && apt-cache show "$1" >/dev/null 2>&1; }

# MkDocs, which builds the site, in build/docs-tools.
need_mkdocs() {
    local tools=build/docs-tools log=build/docs-tools.log
    [[ ! -e $tools/.done || $tools/.done -ot docs/requirements.txt ]] || return 0
    python3 -m pip --version >/dev/null 2>&1 || apt_install python3-pip
    say "Fetching MkDocs from PyPI into $tools"
    rm -rf "$tools"
    mkdir -p "$tools"
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
        --target "$tools" -r docs/requirements.txt >"$log" 2>&1 && touch "$tools/.done" && return 0
    say "That failed ($log): no site; the pages are Markdown files, readable in docs/ as they are"
    return 1
}

# Dependencies of the documentation checks: a browser, MkDocs, and NumPy 2 for the columns that compare with it. Without
# them these checks are skipped.
need_page_checks() {
    need_mkdocs || true
    local browser
    for browser in chromium-headless-shell chromium chromium-browser google-chrome; do
        have "$browser" && browser= && break
    done
    if [[ -n $browser ]] && have apt-cache && apt-cache show chromium-headless-shell >/dev/null 2>&1; then
        apt_install chromium-headless-shell
    fi
    if ! PYTHONPATH=build/numpy python3 -c 'import numpy; assert numpy.__version__[0] > "1"' 2>/dev/null &&
        python3 -m pip --version >/dev/null 2>&1; then
        say "Fetching NumPy 2 from PyPI into build/numpy"
        python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
            --target build/numpy 'numpy==2.*' >&2 || say "That failed: NumPy's columns are not compared"
    fi
}

# Conan, which runs the recipe in packaging/conan.
need_conan() {
    if ! PYTHONPATH=build/conan python3 -c 'import conan' 2>/dev/null && python3 -m pip --version >/dev/null 2>&1; then
        say "Fetching Conan from PyPI into build/conan"
        python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
            --target build/conan 'conan==2.*' >&2 || say "That failed: its recipe is not run"
    fi
}
