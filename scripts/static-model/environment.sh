# The Python environment of the scripts in this folder: made once, with exact versions.
: "${STATIC_MODEL_WORK:=${XDG_CACHE_HOME:-$HOME/.cache}/snapseek-static-model}"
STATIC_MODEL_PYTHON="$STATIC_MODEL_WORK/python/bin/python"
if [ ! -x "$STATIC_MODEL_PYTHON" ]; then
    mkdir -p "$STATIC_MODEL_WORK"
    python3 -m venv "$STATIC_MODEL_WORK/python"
    "$STATIC_MODEL_PYTHON" -m pip install --quiet --requirement scripts/static-model/requirements.txt
fi
