"""Files of other programs that are given in place of scores, known by their first bytes and refused by their name.

Without this a saved login page would be "a table without a score column", and an archive "not text": true, and no help.
"""

from __future__ import annotations

import re

from mated.errors import MatedError

__all__ = ["refuse_foreign"]

_UNPACK = "unpack it and give the file in it"
_AS_TEXT = "save the scores as CSV or Parquet"
_SIGNATURES = (
    (re.compile(rb"PK\x03\x04.{26,60}xl/|PK\x03\x04.{26}\[Content_Types\]", re.DOTALL), "an Excel workbook", _AS_TEXT),
    (
        re.compile(rb"PK\x03\x04.{26}[^/]{1,100}?\.npy", re.DOTALL),
        "an .npz archive of NumPy",
        "save the array alone with numpy.save",
    ),
    (re.compile(rb"PK(?:\x03\x04|\x05\x06)"), "a zip archive", _UNPACK),
    (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an Excel workbook or another document of Office", _AS_TEXT),
    (re.compile(rb"7z\xbc\xaf\x27\x1c"), "a 7z archive", _UNPACK),
    (re.compile(rb"BZh[1-9]1AY&SY"), "bzip2 data", "unpack it, or pack it with gzip"),
    (re.compile(rb"\xfd7zXZ\0"), "xz data", "unpack it, or pack it with gzip"),
    (re.compile(rb"\x28\xb5\x2f\xfd"), "zstd data", "unpack it, or pack it with gzip"),
    (re.compile(rb"[^\0]{1,100}\0.{156,256}ustar", re.DOTALL), "a tar archive", _UNPACK),
    (re.compile(rb"%PDF-"), "a PDF document", "copy the scores out of it into a text file"),
    (re.compile(rb"\{\\rtf"), "an RTF document", "save it as plain text"),
    (re.compile(rb"\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a"), "an image", "give a file of scores"),
    (re.compile(rb"\x89HDF\r\n\x1a\n|MATLAB 7\.3"), "an HDF5 or MATLAB file", _AS_TEXT),
    (re.compile(rb"MATLAB 5\.0 MAT-file"), "a MATLAB file", _AS_TEXT),
    (re.compile(rb"SQLite format 3\0"), "an SQLite database", "write the table of scores as CSV or Parquet"),
    (re.compile(rb"\x80[\x02-\x05](?:\x95|[\]}(cK]|$)"), "a Python pickle, which is never loaded", _AS_TEXT),
    (
        re.compile(rb"version https://git-lfs\.github\.com/spec/"),
        "the pointer of Git LFS to a file and not the file",
        "fetch it with git lfs pull",
    ),
    (
        re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|!--)[\s>-]", re.IGNORECASE),
        "a web page (HTML), perhaps one that asks to sign in or says that there is no such file",
        "download the file itself",
    ),
    (re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\s", re.IGNORECASE), "XML", _AS_TEXT),
)


def refuse_foreign(name: str, head: bytes) -> None:
    """Refuse a file whose first bytes are those of an archive, a document, an image or a web page."""
    for signature, what, advice in _SIGNATURES:
        if signature.match(head):
            raise MatedError(f"{name} is {what}; {advice}")
