"""Texts of a folder of data, where one was given. Frozen."""

from glob import glob
from os.path import isdir


def read_text(data: str, otherwise: str, most_bytes: int) -> bytearray:
    """Return the text of a folder's files, one after another; of a file where there is no folder.

    Raises:
        FileNotFoundError: There is a folder, and it holds no texts.
    """
    paths, text = [otherwise], bytearray()
    if isdir(f"/opt/data/{data}"):
        paths = sorted(glob(f"/opt/data/{data}/**/*.txt", recursive=True))
        if not paths:
            raise FileNotFoundError(f"the folder of data {data!r} holds no *.txt")
    for path in paths:
        with open(path, "rb") as file:
            text += file.read(most_bytes - len(text))
    return text
