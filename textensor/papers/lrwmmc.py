from textensor.papers.declare import Paper

PAPER = Paper("x", "x", (), ())
