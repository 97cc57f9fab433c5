"""A look at documents and labels before anything is learnt: :func:`check_documents`.

- Labels that look alike: :mod:`~textensor.workbench.check.spellings`
- Labels that are something else: :mod:`~textensor.workbench.check.columns`
- Tables that rename labels: :mod:`~textensor.workbench.check.renames`
- Languages, guessed: :mod:`~textensor.workbench.check.spoken`
- What was found, in sentences: :mod:`~textensor.workbench.check.found`
"""
