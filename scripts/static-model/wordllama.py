"""Gets wordllama's table and tokenizer from its PyPI package and writes them as a model folder: wordllama.py FOLDER."""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

VERSION = "wordllama==0.4.0.post1"


def main(output):
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", work, VERSION]
        subprocess.run(command, check=True)
        (wheel,) = Path(work).glob("*.whl")
        zipfile.ZipFile(wheel).extractall(work)
        package = Path(work) / "wordllama"
        table = load_file(package / "weights/l2_supercat_256.safetensors")["embedding.weight"]
        save_file({"embeddings": table.astype(np.float32)}, output / "model.safetensors")
        (output / "tokenizer.json").write_bytes((package / "tokenizers/l2_supercat_tokenizer_config.json").read_bytes())
        (output / "config.json").write_text('{"normalize": true}\n')


if __name__ == "__main__":
    main(Path(sys.argv[1]))
