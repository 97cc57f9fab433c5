"""A file for each command."""

from textensor.cli.commands.check import check
from textensor.cli.commands.cluster import cluster
from textensor.cli.commands.compare import compare
from textensor.cli.commands.datasets import app as datasets
from textensor.cli.commands.evaluate import evaluate
from textensor.cli.commands.explain import explain
from textensor.cli.commands.fit import fit
from textensor.cli.commands.index import index
from textensor.cli.commands.methods import methods
from textensor.cli.commands.predict import predict
from textensor.cli.commands.search import search
from textensor.cli.commands.show import show

__all__ = ["COMMANDS"]

#: In the order of the help.
COMMANDS = (check, fit, predict, evaluate, compare, explain, show, index, search, cluster, methods, datasets)
