"""The table of bad inputs: what is wrong, how it is made, the command, its exit code and its sentence.

Commands run in a copy of a folder that holds

- ``good.csv``, documents with the columns text and label;
- ``mail.model`` and ``mail.index``, a categorizer and an index of these documents;
- ``old.model``, ``old.csv`` and ``old.html``, which earlier commands wrote.

In a sentence ``...`` stands for what the system or another library says, and for the folder.
"""

import gzip
import lzma
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tests.cli.making import (
    changed,
    checkpoint,
    file,
    first_is,
    folder,
    gone,
    in_turn,
    link,
    model_cut_short,
    model_of,
    newer_model,
    nothing,
    pipe,
    with_array,
    zipped,
)
from tests.files.zoo import TEXTS, VECTORS, WORDS
from textensor.reduce import SRDA
from textensor.space import TermVectorizer

HEADER = "text,label\n"
GOOD = HEADER + "".join(f"{text},{label}\n" for text, label in zip(TEXTS, WORDS, strict=True))


class Bad(NamedTuple):
    """A row of the table."""

    name: str
    make: Callable[[Path], object]
    command: str
    code: int
    sentence: str


# Documents that a fit cannot learn from, and what else is wrong with them.

FIT = "fit data.csv -m svm -o old.model"
QUOTE = "quote fields that hold the separator."
COLUMNS = 'the columns are "text", "label"'
ONE_ENCODING = "save the file in one encoding, or pass --encoding."
DOCUMENTS = [
    Bad("empty", file("data.csv", ""), FIT, 1, "data.csv: the file is empty."),
    Bad("only a byte order mark", file("data.csv", b"\xef\xbb\xbf"), FIT, 1, "data.csv: the file is empty."),
    Bad("only a header", file("data.csv", HEADER), FIT, 1, "data.csv: no documents in it."),
    Bad(
        "no text column",
        nothing,
        "fit good.csv --text body -o old.model",
        1,
        f'good.csv, line 1: no column "body", {COLUMNS}; name yours with --text.',
    ),
    Bad(
        "no label column",
        nothing,
        "fit good.csv --label kind -o old.model",
        1,
        f'good.csv, line 1: no column "kind", {COLUMNS}; name yours with --label.',
    ),
    Bad(
        "no text column to index",
        nothing,
        "index good.csv --text body -o new.index",
        1,
        f'good.csv, line 1: no column "body", {COLUMNS}; name yours with --text.',
    ),
    Bad(
        "a column twice",
        file("data.csv", "text,text,label\na,b,c\n"),
        FIT,
        1,
        'data.csv, line 1: more than one column is called "text"; rename them.',
    ),
    Bad(
        "one label",
        file("data.csv", HEADER + "a b,x\nc d,x\n"),
        FIT,
        1,
        "All documents with a label have one and the same, 'x': give two labels or more.",
    ),
    Bad(
        "a very long label",
        file("data.csv", HEADER + f"a b,{'x' * 1001}\nc d,y\n"),
        FIT,
        1,
        f"The label '{'x' * 79} has 1,001 characters: give labels of at most 1,000.",
    ),
    Bad(
        "no label at all",
        file("data.csv", HEADER + "a b,\nc d,\n"),
        FIT,
        1,
        f'data.csv: no label, the column "label" is empty everywhere ({COLUMNS}); name another with --label.',
    ),
    Bad(
        "no terms",
        file("data.csv", HEADER + "a,x\nb,y\n" * 2),
        FIT,
        1,
        "Empty vocabulary: the documents hold no terms, or only stop words.",
    ),
    Bad(
        "a row too long",
        file("data.csv", HEADER + "a,b,c\n"),
        FIT,
        1,
        f"data.csv, line 2: 3 fields where the header has 2; {QUOTE}",
    ),
    Bad(
        "a row too short",
        file("data.csv", HEADER + "a,b\nc\n"),
        FIT,
        1,
        "data.csv, line 3: 1 field where the header has 2; "
        "quote fields that hold line ends, or fill in the missing ones.",
    ),
    Bad(
        "an open quote",
        file("data.csv", HEADER + '"a,b\n'),
        FIT,
        1,
        "data.csv, line 2: an unterminated quote opens here and is not closed before the end of the file; "
        "close it.",
    ),
    Bad(
        "a quote in the middle",
        file("data.csv", HEADER + '"a" b,c\n'),
        FIT,
        1,
        "data.csv, line 2: a quote opened in line 2 is closed and then more text follows; double the quotes "
        "inside a field.",
    ),
    Bad(
        "a document over the cap",
        file("data.csv", GOOD + "wheat " * (3 << 20) + ",grain\n"),
        FIT,
        1,
        "data.csv, line 14: a document over the cap of 16 MiB; cut it into several.",
    ),
    Bad("a link to itself", link("data.csv", "data.csv"), FIT, 1, "data.csv: no such file or folder."),
    Bad(
        "two encodings",
        file("data.csv", "text,label\ngrößer,a\nkleiner,b\n".encode() + b"caf\xe9,b\n"),
        FIT,
        1,
        f"data.csv, line 4: bad encoding, byte 0xe9 is not utf-8 as the rest is; {ONE_ENCODING}",
    ),
    Bad(
        "two encodings, Windows-1252 first",
        file("data.csv", b"text,label\n" + b"caf\xe9,a\n" * 9 + "größer,b\n".encode()),
        FIT,
        1,
        "data.csv, line 11: mixed encodings, UTF-8 here (byte 0xc3) and cp1252 elsewhere; " + ONE_ENCODING,
    ),
    Bad(
        "another encoding than named",
        file("data.csv", b"text,label\ngr\xf6\xdfer,a\n"),
        f"{FIT} --encoding utf-8",
        1,
        "data.csv, line 2: byte 0xf6 is not utf-8; pass the file's own --encoding.",
    ),
    Bad(
        "a bad row behind thousands of good ones",
        file("data.csv", "text\n" + "wheat\n" * 5000 + "a,b\n"),
        "predict mail.model data.csv -o old.csv",
        1,
        f"data.csv, line 5002: 2 fields where the header has 1; {QUOTE}",
    ),
    Bad(
        "no column for ids",
        nothing,
        "index good.csv --id nothing -o new.index",
        1,
        "good.csv, line 2: no column 'nothing' for --id, only 'text', 'label'.",
    ),
    Bad(
        "an id twice",
        nothing,
        "index good.csv --id label -o new.index",
        1,
        "Nothing was added: the id 'grain' is given twice.",
    ),
    Bad(
        "more clusters than documents",
        nothing,
        "cluster good.csv -k 99 -o old.csv",
        1,
        "There are 12 documents for 99 clusters: ask for fewer, or give more.",
    ),
    Bad(
        "too few documents to score",
        nothing,
        "compare good.csv --train 99% --report old.html",
        1,
        "Trained on 99% of 12 labelled documents, too few are left to score: train on less, or give more "
        "documents.",
    ),
    Bad(
        "a cost below 0",
        nothing,
        "fit good.csv -m svm --set C=-1 -o old.model",
        2,
        "--set: C must be a number above 0, not -1.",
    ),
    Bad(
        "a cost of 5,000 brackets",
        nothing,
        f"fit good.csv -m svm --set C={'[' * 5000} -o old.model",
        2,
        "--set: C must be a number above 0, not '[[[[[...",
    ),
    Bad(
        "more modules than there can be",
        nothing,
        "fit good.csv -m minmax --set modules=2305843009213693951 -o old.model",
        2,
        "--set: modules must be a whole number from 1 to 1000000, a pair with such a product, or None, not "
        "2305843009213693951.",
    ),
]

# Files that no command can read: for each command that reads documents.

READING = [
    "fit {} -m svm -o old.model",
    "predict mail.model {} --text text -o old.csv",
    "evaluate mail.model {} --text text --label label --report old.html",
    "compare {} --report old.html",
    "index {} -o new.index",
    "cluster {} -k 2 -o old.csv",
]
NUL = (
    "a NUL character, so this is not text; save a spreadsheet as CSV, and pass --encoding for text without a "
    'byte order mark ("utf-16-le").'
)
CUT = "the compressed data is damaged or cut short (...)."
FILES = [
    ("not there", "data.csv", None, "data.csv: no such file or folder."),
    ("binary", "data.csv", bytes(range(256)) * 40, f"data.csv, line 1: {NUL}"),
    ("an archive", "data.csv", b"PK\x03\x04" + bytes(range(256)) * 9, f"data.csv, line 1: {NUL}"),
    ("a NUL byte", "data.csv", b"text,label\na\0b,c\n", f"data.csv, line 2: {NUL}"),
    ("only NUL bytes", "data.csv", bytes(4096), f"data.csv, line 1: {NUL}"),
    ("gz cut short", "data.csv.gz", gzip.compress(GOOD.encode() * 50)[:-20], f"data.csv.gz: {CUT}"),
    ("xz cut short", "data.csv.xz", lzma.compress(GOOD.encode() * 50)[:-20], f"data.csv.xz: {CUT}"),
    ("gz of nothing", "data.csv.gz", gzip.compress(b""), "data.csv.gz: the file is empty."),
    ("no parquet", "data.parquet", "hello", "data.parquet: not parquet, or damaged (...)."),
    ("parquet cut", "data.parquet", b"PAR1" + bytes(40), "data.parquet: not parquet, or damaged (...)."),
    ("no workbook", "data.xlsx", "hello", "data.xlsx: not an Excel workbook, or damaged..."),
    (
        "a workbook with entities",
        "data.xlsx",
        zipped("[Content_Types].xml", '<!DOCTYPE x [<!ENTITY a "aaa">]><x>&a;</x>'),
        "data.xlsx: a document type, which no workbook...",
    ),
    (
        "the old format of Excel",
        "data.xls",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512),
        "data.xls, line 1: a NUL character, so this is not text; save a spreadsheet as ...",
    ),
    (
        "deep JSON",
        "data.jsonl",
        '{"text": ' + "[" * 100_000 + "]" * 100_000 + ', "label": "a"}\n',
        "data.jsonl, line 1: JSON that cannot be read (...).",
    ),
    (
        "broken JSON",
        "data.jsonl",
        '{"text": "a"\n',
        "data.jsonl, line 1: not JSON (...); write one object per line.",
    ),
    (
        "JSON that is no object",
        "data.jsonl",
        "[1, 2]\n",
        "data.jsonl, line 1: not a JSON object; write one object per line, such as {...}.",
    ),
    (
        "a text that is a number",
        "data.jsonl",
        '{"text": 5, "label": "a"}\n',
        'data.jsonl, line 1: the column "text" holds something else than text; give each document a string.',
    ),
]
READ = [
    Bad(
        f"{name}: {command.split()[0]}",
        nothing if content is None else file(path, content),
        command.format(path),
        1,
        sentence,
    )
    for (name, path, content, sentence), command in product(FILES, READING)
] + [
    Bad(
        f"an empty folder: {command.split()[0]}",
        folder("data"),
        command.format("data"),
        1,
        "data: no documents in it.",
    )
    for command in READING
]

# Options that cannot be: data and model are not there, and nobody looks.

NEW = "fit no.csv -o no.model"
ASK = "predict no.model no.csv"
METHODS = (
    "choose auto, svm, stm, semantic-stm, semantic-svm, centroid, minmax, tls, lrwmmc, semi-lrwmmc, coem, "
    "tensorlsi-knn, srda-knn, sda-knn, mmc-knn, dne-knn, clsi-knn, centroid-knn."
)
THREADS = "--n-jobs is a number of threads up to 256, or -1 for all processors, not"
SECONDS = "--time-budget is a number of seconds, 0 or more, not"
ENCODING = "--encoding is one that Python knows, as cp1250, not"
SEPARATOR = "--label-separator is what stands between labels, such as |, and not empty."
OPTIONS = [
    Bad(name, nothing, command, 2, sentence)
    for name, command, sentence in [
        ("no such method", f"{NEW} -m magic", f"--method: There is no method 'magic': {METHODS}"),
        (
            "auto and another",
            f"{NEW} -m svm,auto",
            "--method auto stands alone: it is a search over several methods.",
        ),
        ("a method twice", f"{NEW} -m svm,svm", "--method names 'svm' twice: name each method once."),
        (
            "no such setting",
            f"{NEW} -m svm --set depth=3",
            "--set: The method svm has no setting 'depth', only C, arrangement, ...",
        ),
        ("no setting", f"{NEW} -m svm --set depth", "A setting is written KEY=VALUE, not 'depth'."),
        (
            "a table of labels to a pipe",
            "check no.csv --fix -",
            "--fix is a file to write: name one, such as labels.csv.",
        ),
        (
            "one column for both to check",
            "check no.csv --text label",
            "--text and --label name the same column, 'label': name one for each.",
        ),
        (
            "nothing to predict",
            "predict no.model",
            "There is nothing to predict: name a file of documents, - for standard input, or give --text.",
        ),
        (
            "no such features",
            f"{NEW} --features magic",
            "--features is one of auto, words, ..., not 'magic'.",
        ),
        ("stems of no language", f"{NEW} --stem", "--stem needs a --language, such as --language english."),
        ("no such language", f"{NEW} --language klingon", "--language is one of arabic, ..., not 'klingon'."),
        (
            "a term in no document",
            f"{NEW} --min-df 0",
            "--min-df is a number of documents, or a share between 0 and 1, not 0.",
        ),
        (
            "terms in infinitely many documents",
            f"{NEW} --min-df inf",
            "--min-df is a number of documents, or a share between 0 and 1, not inf.",
        ),
        (
            "a setting of a search",
            f"{NEW} --set C=3",
            "--set is for one method without a search: name it with --method, without --tune.",
        ),
        (
            "a setting of 400 digits",
            f"{NEW} -m svm --set C={'9' * 400}",
            "--set C is a number of 400 digits: give a smaller one.",
        ),
        (
            "modules of 400 digits",
            f"{NEW} -m minmax --set modules=1{'0' * 399}",
            "--set modules is a number of 400 digits: give a smaller one.",
        ),
        ("a negative budget", f"{NEW} --time-budget -1", f"{SECONDS} -1."),
        ("no budget", f"{NEW} --time-budget nan", f"{SECONDS} nan."),
        ("no threads", f"{NEW} --n-jobs 0", f"{THREADS} 0."),
        ("too many threads", f"{NEW} --n-jobs 257", f"{THREADS} 257."),
        ("no threads to predict", f"{ASK} --n-jobs 0", f"{THREADS} 0."),
        ("no such encoding", f"{NEW} --encoding klingon", f"{ENCODING} 'klingon'."),
        ("no encoding of text", f"{NEW} --encoding rot13", f"{ENCODING} 'rot13'."),
        ("nothing between labels", f"{NEW} --label-separator ''", SEPARATOR),
        ("nothing between labels to predict", f"{ASK} --label-separator ''", SEPARATOR),
        (
            "one column for both",
            f"{NEW} -m svm --text label",
            "--text and --label name the same column, 'label': name one for each.",
        ),
        ("no such format", f"{ASK} --format xls", "--format is csv or jsonl, not 'xls'."),
        ("unsure below nothing", f"{ASK} --unsure-below nan", "--unsure-below is a number, not NaN."),
        (
            "no such method to compare",
            "compare no.csv --methods svm,magic",
            f"--methods: There is no method 'magic': {METHODS}",
        ),
        (
            "a method twice to compare",
            "compare no.csv --methods svm,svm",
            "--methods names 'svm' twice: name each method once.",
        ),
        (
            "no share",
            "compare no.csv --train 5%,x",
            "--train is shares between 0% and 100%, such as 5%,10%, not 'x'.",
        ),
    ]
]

# Models: for each command that asks one.

ASKING = [
    "predict bad.model good.csv -o old.csv",
    "explain bad.model wheat",
    "evaluate bad.model good.csv --report old.html",
    "show bad.model",
]
NO_MODEL = "bad.model cannot be read as a model:"
BAD_MODELS = [
    ("no model there", nothing, "There is no model file bad.model."),
    ("text", file("bad.model", "hello"), f"{NO_MODEL} it is not a textensor model, or it is cut short."),
    ("long text", file("bad.model", "hello " * 99), f"{NO_MODEL} it is not a textensor model."),
    ("nothing", file("bad.model", ""), f"{NO_MODEL} it is not a textensor model, or it is cut short."),
    ("a folder", folder("bad.model"), f"{NO_MODEL} bad.model is not a regular file."),
    ("a pipe", pipe("bad.model"), f"{NO_MODEL} bad.model is not a regular file."),
    ("a link", link("bad.model", "mail.model"), f"{NO_MODEL} bad.model is a link."),
    (
        "a newer format",
        newer_model,
        f"{NO_MODEL} its format 99 is newer than this version of textensor: install a newer one.",
    ),
    ("cut short", model_cut_short, f"{NO_MODEL} it has ... bytes, and its header describes ...."),
]
#: Models that are no categorizers; show takes them.
OTHER_MODELS = [
    (
        "a vectorizer",
        model_of(lambda: TermVectorizer().fit(TEXTS)),
        "bad.model holds a TermVectorizer, and not a categorizer of texts.",
    ),
    (
        "a reducer",
        model_of(lambda: SRDA().fit(VECTORS, WORDS)),
        "bad.model holds a SRDA, and not a categorizer of texts.",
    ),
]
MODELS = [
    Bad(f"{name} for a model: {command.split()[0]}", make, command, 1, sentence)
    for (name, make, sentence), command in [*product(BAD_MODELS, ASKING), *product(OTHER_MODELS, ASKING[:-1])]
]

# Indexes.

SEARCH = "search mail.index wheat"
NO_INDEX = "bad.index is no index: make one with textensor index."
DAMAGED = "mail.index/vectors holds no index that can be read:"
EXCERPTS, VECTOR_FILE = "mail.index/excerpts.jsonl", "mail.index/vectors/vectors.npy"
INDEXES = [
    Bad(name, make, command, 1, sentence)
    for name, make, command, sentence in [
        ("no index there", nothing, "search bad.index wheat", NO_INDEX),
        ("a file for an index", file("bad.index", "hello"), "search bad.index wheat", NO_INDEX),
        ("an empty folder for an index", folder("bad.index"), "search bad.index wheat", NO_INDEX),
        (
            "another folder for an index",
            in_turn(folder("bad.index"), file("bad.index/header.json", "{}")),
            "search bad.index wheat",
            NO_INDEX,
        ),
        (
            "no projection",
            gone("mail.index/projection.model"),
            SEARCH,
            "There is no model file mail.index/projection.model.",
        ),
        (
            "the projection of another",
            lambda place: (place / "mail.model").replace(place / "mail.index" / "projection.model"),
            SEARCH,
            "mail.index is damaged (projection.model is for something else): make the index again.",
        ),
        (
            "vectors cut short",
            changed(VECTOR_FILE, lambda old: old[:-4]),
            SEARCH,
            f"{DAMAGED} vectors.npy is not the array that header.json describes.",
        ),
        (
            "a changed bit",  # the lowest of the last number
            changed(VECTOR_FILE, lambda old: old[:-4] + bytes([old[-4] ^ 1]) + old[-3:]),
            f"{SEARCH} --verify",
            f"{DAMAGED} vectors.npy has changed since it was written: its sum differs.",
        ),
        ("no JSON", file("mail.index/vectors/header.json", "{"), SEARCH, f"{DAMAGED} ...."),
        (
            "a file too many",
            file("mail.index/vectors/x", ""),
            SEARCH,
            f"{DAMAGED} 'x' is no part of an index.",
        ),
        (
            "excerpts that are a link",
            in_turn(gone(EXCERPTS), link(EXCERPTS, "../good.csv")),
            SEARCH,
            f"{EXCERPTS} is damaged (excerpts.jsonl is a link): make the index again.",
        ),
        (
            "excerpts that are a folder",
            in_turn(gone(EXCERPTS), folder(EXCERPTS)),
            SEARCH,
            f"{EXCERPTS} is damaged (excerpts.jsonl is not a regular file): make the index again.",
        ),
        (
            "excerpts that are no texts",
            changed(EXCERPTS, lambda old: old.replace(b'", "', b'", ')),
            SEARCH,
            f"{EXCERPTS} is damaged (a line holds no text): make the index again.",
        ),
    ]
]

# Places that are not written to.

TO_FILES = [
    "predict mail.model good.csv -o {}",
    "cluster good.csv -k 2 -o {}",
    "evaluate mail.model good.csv --report {}",
    "compare good.csv --report {}",
]
TO_ALL = [*TO_FILES, "fit good.csv -m svm -o {}", "index good.csv -o {}"]
BAD_PLACES = [
    ("the data", "good.csv", nothing, "good.csv is the data itself: write to another place."),
    ("the data by a link", "x", link("x", "good.csv"), "x is the data itself: write to another place."),
    ("a link", "x", link("x", "old.html"), "x is not replaced (it is a link): choose another place."),
    ("a pipe", "x", pipe("x"), "x is not replaced (it is no regular file): choose another place."),
    ("a folder", "x", folder("x"), "x is not replaced (it is no regular file): choose another place."),
]
NO_FOLDERS = [
    (
        "no folder",
        "nosuch/new",
        nothing,
        "There is no folder to write nosuch/new to: make it, or choose another place.",
    ),
    (
        "a folder that nobody can write to",
        "/proc/new",
        nothing,
        "/proc/new cannot be written, because its folder cannot (...): choose another place.",
    ),
]
MODEL_ITSELF = "mail.model is the model itself: write to another place."
NO_PAGE = "thesis is not replaced (it is no page of HTML): choose another place."
PLACES = [
    Bad(f"{name} to write to: {command.split()[0]}", make, command.format(place), 1, sentence)
    for (name, place, make, sentence), command in [
        *product(BAD_PLACES, TO_FILES),
        *product(NO_FOLDERS, TO_ALL),
        (("the model", "mail.model", nothing, MODEL_ITSELF), TO_FILES[0]),
        (("the model", "mail.model", nothing, MODEL_ITSELF), TO_FILES[2]),
        (("no page", "thesis", file("thesis", "mine"), NO_PAGE), TO_FILES[2]),
        (("no page", "thesis", file("thesis", "mine"), NO_PAGE), TO_FILES[3]),
        (
            (
                "the training data",
                "train.csv",
                file("train.csv", GOOD),
                "train.csv is the training data itself: write to another place.",
            ),
            "evaluate mail.model good.csv --train train.csv --report {}",
        ),
        (
            (
                "no model",
                "good.csv",
                nothing,
                ".../good.csv is not replaced (it is no model file): remove it or choose another place.",
            ),
            TO_ALL[4],
        ),
        (
            (
                "an index",
                "mail.index",
                nothing,
                "mail.index is there already: remove it or choose another place.",
            ),
            TO_ALL[5],
        ),
    ]
]

# Checkpoints.

RESUME = "fit good.csv -m {} --checkpoint kept -o old.model"
KEPT = "kept/....npz cannot be read"
REMOVE = "remove it, and its results are computed again."
CHECKPOINTS = [
    Bad(
        f"{name} in a checkpoint",
        make,
        RESUME.format(method),
        1,
        f"kept/... cannot be read ({why}): {REMOVE}",
    )
    for name, method, make, why in [
        (
            "infinite scores",
            "svm",
            checkpoint("svm", with_array("scores", first_is(np.inf))),
            "it holds infinite scores",
        ),
        (
            "infinite figures of modules",
            "minmax",
            checkpoint("minmax", with_array("numbers", first_is(-np.inf))),
            "it holds infinite numbers",
        ),
        (
            "infinite weights of modules",
            "minmax",
            checkpoint("minmax", with_array("weights", first_is(np.inf))),
            "it holds infinite numbers",
        ),
        (
            "objects",
            "svm",
            checkpoint("svm", with_array("scores", lambda _: np.array([{}, None], dtype=object))),
            "it does not hold plain arrays",
        ),
        ("no archive", "svm", checkpoint("svm", lambda path: path.write_bytes(b"\x80\x04x")), "..."),
    ]
] + [
    Bad(
        "a file for a checkpoint folder",
        file("kept", "hello"),
        RESUME.format("svm"),
        1,
        "kept cannot be a checkpoint folder (...): name another.",
    )
]

# Corpora, of which none is here but the one in the package, and none can be fetched.

SETS = "docstrings, reuters21578, 20newsgroups, ohsumed, wordnet, tdt2, uci, rcv1"
REFUSED = "the server cannot be reached: Connection refused"
NO_SET = f"There is no set 'nonsense'; there are {SETS}."
CORPORA = [
    Bad(name, nothing, command, code, sentence)
    for name, command, code, sentence in [
        ("no such set to show", "datasets show nonsense", 1, NO_SET),
        ("no such set to get", "datasets get nonsense", 1, NO_SET),
        (
            "no such option of a set",
            "datasets show docstrings -o subset=r8",
            1,
            "The set 'docstrings' has no option 'subset'; it has none.",
        ),
        (
            "no option of a set",
            "datasets show docstrings -o subset",
            2,
            "An option is written KEY=VALUE, not 'subset'.",
        ),
        (
            "an option of the wrong command",
            "datasets --json show docstrings",
            2,
            "--json goes behind the command: textensor datasets show NAME --json.",
        ),
        *(
            (
                f"a set that cannot be fetched: {command.split()[0]} {command.split()[1]}",
                command,
                1,
                "The file ohsumed-single23/ohsumed-single23.jsonl.xz is not on this machine, and "
                f"downloading it failed (https://github.com/...: {REFUSED}): try again with a network, or "
                "put it into the folder ....",
            )
            for command in (
                "datasets get ohsumed",
                "datasets show ohsumed",
                "fit ohsumed -m svm -o old.model",
                "compare ohsumed --report old.html",
                "check ohsumed",
            )
        ),
        (
            "a set of two addresses that cannot be fetched",
            "datasets get 20newsgroups",
            1,
            "The file 20newsgroups-bydate/20news-bydate.jsonl.xz is not on this machine, and downloading it "
            f"failed (https://ndownloader...: {REFUSED}; https://people...: {REFUSED}): try again with a "
            "network, or put it into the folder ....",
        ),
        (
            "a set that is not published as a file",
            "datasets get wordnet",
            1,
            "The file wordnet-hypernyms/wordnet-hypernyms.jsonl.xz is not on this machine, and it cannot be "
            "downloaded: put it into the folder ....",
        ),
        (
            "a set of scikit-learn that cannot be fetched",
            "datasets get rcv1",
            1,
            f"RCV1 is not complete on this machine, and downloading it failed ({REFUSED}): run "
            "sklearn.datasets.fetch_rcv1() where there is a network, and copy its files to .../RCV1.",
        ),
    ]
]

BAD_INPUTS = [*DOCUMENTS, *READ, *OPTIONS, *MODELS, *INDEXES, *PLACES, *CHECKPOINTS, *CORPORA]
