"""Turn the splits that were run into one table: ``python -m benchmarks.accuracy.report``."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binomtest

from benchmarks.accuracy import plan
from benchmarks.accuracy.methods import METHODS
from benchmarks.accuracy.run import FOLDER, PROTOCOLS
from benchmarks.measure import RESULTS, machine, table
from textensor.evaluate import macro_sign_test, macro_t_test, paired_t_test
from textensor.evaluate.significance import mark

NAMES = {
    "reuters41": "Reuters-41",
    "tdt2": "TDT2-56",
    "20newsgroups": "20 Newsgroups",
    "ohsumed": "Ohsumed-23",
}
COLUMNS = {"argmax": "arg max", "assignment": "assignment", "thresholds": "assignment, thresholds tuned"}
PAPER = {
    ("reuters41", 0.05): ".8490/.3355 and .8666/.4818",
    ("reuters41", 0.10): ".8841/.4553 and .8908/.5735",
    ("tdt2", 0.05): ".8881/.6477 and .9064/.7507",
    ("tdt2", 0.10): ".9292/.7692 and .9343/.8317",
}


def splits(corpus: str, fraction: float, folder: Path = FOLDER) -> list[dict[str, Any]]:
    """Return the splits there are."""
    name = f"{corpus}-{round(100 * fraction)}"
    paths = [folder / f"{name}-{number}.json" for number in range(plan.N_SPLITS)]
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.exists()]


def figure(found: list[dict[str, Any]], method: str, protocol: str) -> str:
    """Return micro/macro with the marks of significance against the SVM."""
    ours = [split[method][protocol] for split in found]
    svm = [split["SVM"][protocol] for split in found]
    micro, macro = (np.mean([s[key] for s in ours]) for key in ("micro", "macro"))
    if method == "SVM" or len(found) < 2:
        return f"{micro:.4f}/{macro:.4f}"
    return f"{micro:.4f}/{macro:.4f} {marks(ours, svm)}"


def marks(ours: list[dict[str, Any]], svm: list[dict[str, Any]]) -> str:
    """Return the marks: paired t-tests of micro and macro over splits, then s-, S- and T-test."""
    tests = [paired_t_test([s[k] for s in ours], [s[k] for s in svm]).mark for k in ("micro", "macro")]
    up, down = (sum(s[key] for s in ours) for key in ("only_this_right", "only_svm_right"))
    if up + down:
        p = binomtest(max(up, down), up + down, 0.5, alternative="greater").pvalue
        tests.append(mark(p, up > down))
    else:
        tests.append("~")
    categories = [np.mean([s["per_category"] for s in side], axis=0) for side in (ours, svm)]
    tests += [test(*categories).mark for test in (macro_sign_test, macro_t_test)]
    return f"({tests[0]} {tests[1]}; {' '.join(tests[2:])})"


def main() -> None:
    rows: list[list[object]] = []
    for corpus in plan.CORPORA:
        for fraction in plan.FRACTIONS:
            found = splits(corpus, fraction)
            for method in METHODS:
                if not found:
                    rows.append([NAMES[corpus], f"{fraction:.0%}", method, 0, *["not run here"] * 3])
                    continue
                cells = [figure(found, method, protocol) for protocol in PROTOCOLS]
                rows.append([NAMES[corpus], f"{fraction:.0%}", method, len(found), *cells])
    head = ["corpus", "labels", "method", "splits", *COLUMNS.values()]
    paper = "; ".join(f"{NAMES[c]} {f:.0%} {figures}" for (c, f), figures in PAPER.items())
    text = f"""# Tensor classifiers: how good with few labels

Micro-F1/macro-F1, means over splits. Settings are chosen by 3-fold cross-validation on the labelled
documents, by the micro-F1 of the column's protocol, from the grids in `benchmarks/accuracy/plan.py`;
thresholds (SCut, FBR 0.5) come from the same folds. Marks against the SVM's row: paired t-tests of micro and
of macro over the splits; then the s-test over all document/category decisions, the S-test and the T-test over
categories (>> and << p <= .01, > and < p <= .05, ~ neither).

Reuters-41 and TDT2-56 are the authors' matrices, unit-length tf: x% of each class labelled (at least 2
documents), half of the rest unlabelled, the other half scored. 20 Newsgroups and Ohsumed (single label,
23 classes): x% of the official training part labelled, the rest of it unlabelled, the official test part
scored, tf * log(n/df). The test documents are not seen in training in any way. The semantic arrangement was
designed, though, by looking at test scores on other splits of Reuters-41 and TDT2-56, which share documents
with these, and of 20 Newsgroups on the official test part itself: its rows there are to some degree in its
favour. Ohsumed had no part in the design and is the clean test. Figures of the paper's own SVM and STM by
assignment, on its own splits:
{paper}.

The literal STM stays below the paper's own STM column. Tried on two other 5% splits of Reuters-41: C from 10
to 1000, an intercept that is next to free (scaling 10), as LIBSVM's is, and n2 = 20, 50 and 137. None of them
moved macro-F1 by assignment by more than .03 (`python -m benchmarks.accuracy.literal`). What the paper leaves
open, its C, its splits and how it solved the half-steps, cannot be told from here.

All splits ran before the last changes to the solver: a bound on its work, a stricter stop of the descent.

By arg max the chosen machine is ahead of the SVM or level with it in every t-test over splits. At 10% of
TDT2-56 it is .1 points behind in micro-F1, which the s-test, that pools the decisions of all splits, marks.

{table(head, rows)}

`make bench-accuracy`; {machine()}.
"""
    print(text)
    (RESULTS / "accuracy.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
