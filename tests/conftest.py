"""What holds for all tests."""

from hypothesis import settings

# A busy machine must not fail a test: how long an example takes is no property of the code.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
