# Shared by the other scripts, which source it: goes to the project's root, and makes .venv once.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

python_for_venv() {
    local candidate
    for candidate in python3.11 python3; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            printf '%s' "$candidate"
            return 0
        fi
    done
    echo "Python 3.11 or newer is needed, and neither python3.11 nor python3 is one." >&2
    return 1
}

# Makes or refreshes .venv from the requirements files given, unless nothing has changed since the last time.
# The stamp of a larger set also counts for a smaller one, so that `run` does not undo what `check` installed.
ensure_venv() {
    local wanted="$1" stamp=".venv/stamp-$1" sum python
    # The folder is part of it: an environment does not survive being moved.
    sum="$(pwd; cksum requirements.txt requirements-local.txt requirements-dev.txt)"
    if [ ! -x .venv/bin/python ]; then rm -f .venv/stamp-*; fi
    if [ "$wanted" = local ] && [ "$(cat .venv/stamp-dev 2>/dev/null)" = "$sum" ]; then return 0; fi
    if [ "$(cat "$stamp" 2>/dev/null)" = "$sum" ]; then return 0; fi

    if ! .venv/bin/python -c '' >/dev/null 2>&1; then
        python="$(python_for_venv)" || exit 1
        echo "Making .venv" >&2
        rm -rf .venv
        "$python" -m venv .venv || {
            echo "The virtual environment could not be made (on Debian: apt-get install python3-venv)." >&2
            exit 1
        }
    fi
    echo "Installing the requirements" >&2
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input \
        -r "requirements-$wanted.txt" || {
        echo "The requirements could not be installed; the lines above say why." >&2
        exit 1
    }
    printf '%s\n' "$sum" >"$stamp"
}

# For the tools of those who run the bot, which need nothing but what it needs itself: where there is an
# environment, it is taken as it is. Theirs belongs to root, and nothing else is to be installed into it.
any_venv() {
    if [ ! -x .venv/bin/python ]; then ensure_venv local; fi
}
