"""Text written for the project, and a small model of it: what tests and the pictures in the docs show."""

import hashlib
import time

import numpy as np
from scipy.special import softmax
from sklearn.svm import LinearSVC

from textensor.classify.onevsrest import Explanation
from textensor.evaluate import f1_by_argmax, f1_by_assignment, f1_intervals
from textensor.report import Figure, Result, Run, SizePoint, compare_results, evaluate_model
from textensor.space import TermVectorizer

#: For each label words of its own, and how common it is; bakers and millers share a trade.
LABELS = {
    "bakery": ("dough oven loaf crust yeast flour bake sourdough rye proof", 60),
    "harbour": ("ship quay crane tide pilot cargo anchor tug berth dock", 50),
    "garden": ("seed soil prune rose compost spade bloom hedge mulch bulb", 45),
    "railway": ("train track signal platform engine points freight timetable carriage guard", 40),
    "milling": ("flour grain wheat stone sieve mill bran rye sack wind", 30),
    "orchestra": ("violin bow concert score cello rehearsal conductor oboe tuning hall", 25),
    "weather": ("rain wind cloud front frost pressure storm forecast tide fog", 20),
    "beekeeping": ("hive honey swarm queen smoker frame bloom wax nectar veil", 12),
    "clockmaking": ("spring gear pendulum dial escapement hour wheel case key winding", 6),
}
COMMON = """
    the old a new morning evening town people work says more less every day year with without good bad
    small large before after report letter street market river house hand long time again
"""
OPENINGS = (
    "In the morning",
    "They say",
    "Every year",
    "A letter from the town:",
    "Before the evening",
    "Again",
)


def documents(random_state=0):
    """Return texts and labels: sentences of common words, of their label's and, at times, another's."""
    rng = np.random.default_rng(random_state)
    texts, labels = [], []
    for label, (words, n) in LABELS.items():
        for _ in range(2 * n):
            other = rng.choice(list(LABELS)) if rng.random() < 0.55 else label
            pool = words.split() * 2 + LABELS[other][0].split() + COMMON.split() * 2
            sentence = " ".join(rng.choice(pool, size=rng.integers(7, 22)))
            texts.append(f"{rng.choice(OPENINGS)} {sentence}.")
            labels.append(label)
    order = rng.permutation(len(texts))
    return [texts[i] for i in order], np.array(labels)[order]


class Model:
    """TF-IDF and a linear SVM, with reasons."""

    def __init__(self, texts, labels, C=1.0):
        self.vectorizer = TermVectorizer()
        self.svm = LinearSVC(C=C, random_state=0).fit(self.vectorizer.fit_transform(texts), labels)
        self.names = self.vectorizer.get_feature_names_out()

    def decide(self, texts):
        return self.svm.decision_function(self.vectorizer.transform(texts))

    def explain(self, text, labels):
        x = self.vectorizer.transform([text])
        for label in labels:
            k = list(self.svm.classes_).index(label)
            amounts = x.data * self.svm.coef_[k][x.indices]
            parts = [
                *zip(self.names[x.indices], amounts, strict=True),
                ("(intercept)", self.svm.intercept_[k]),
            ]
            yield Explanation(label, float(sum(amount for _, amount in parts)), parts)

    def terms(self, n=8):
        return {
            label: [(self.names[j], weights[j]) for j in np.argsort(-weights)[:n]]
            for label, weights in zip(self.svm.classes_, self.svm.coef_, strict=True)
        }


def _figures(scores):
    intervals = f1_intervals(scores)
    return Figure(scores.micro, *intervals.micro), Figure(scores.macro, *intervals.macro)


def evaluation():
    texts, labels = documents()
    half = len(texts) // 2
    train, test, truth = texts[:half], texts[half:], labels[half:]
    # Two documents that training has seen: one as it is, one with a word more.
    test[3], truth[3] = train[0].upper(), labels[0]
    test[40], truth[40] = train[1].replace(".", " again."), labels[1]
    model, sizes = Model(train, labels[:half]), []
    for n in (30, 60, 120, half):
        decisions = Model(train[:n], labels[:n])
        scores = (
            f1_by_argmax(
                truth, decisions.decide(test), classes=decisions.svm.classes_, labels=model.svm.classes_
            )
            if n < half
            else f1_by_argmax(truth, model.decide(test), classes=model.svm.classes_)
        )
        sizes.append(SizePoint(n, *_figures(scores)))
    return evaluate_model(
        truth,
        model.decide(test),
        model.svm.classes_,
        certainty=softmax(2 * model.decide(test), axis=1).max(axis=1),
        run=Run(
            method="svm",
            command="textensor evaluate trades.model trades-test.csv --report report.html",
            data="trades-test.csv",
            sha256=hashlib.sha256("\n".join(test).encode()).hexdigest(),
            settings={"weights": "tf * log(n / df)", "C": 1.0, "training documents": half},
        ),
        texts=test,
        train_texts=train,
        n_train={
            str(label): int(n) for label, n in zip(*np.unique(labels[:half], return_counts=True), strict=True)
        },
        terms=model.terms(),
        explain=lambda document, asked: model.explain(test[document], asked),
        sizes=sizes,
    )


def comparison():
    texts, labels = documents()
    names = np.unique(labels)
    results = []
    for method, C in (("svm", 1.0), ("svm, C = 0.01", 0.01), ("svm, C = 100", 100.0)):
        for size, n in (("10%", 58), ("20%", 115), ("50%", 288)):
            for split in range(3):
                order = np.random.default_rng(split).permutation(len(texts))
                train, test = order[:n], order[n:]
                start = time.perf_counter()
                model = Model([texts[i] for i in train], labels[train], C)
                decisions = model.decide([texts[i] for i in test])
                seconds = time.perf_counter() - start
                scores = [
                    score(labels[test], decisions, classes=model.svm.classes_, labels=names)
                    for score in (f1_by_argmax, f1_by_assignment)
                ]
                results.append(Result(method, size, n, scores, seconds))
    command = (
        "textensor compare trades.csv --methods svm --train 10%,20%,50% --splits 3 --report comparison.html"
    )
    return compare_results(results, run=Run(command=command, data="trades.csv"))
