"""Our own comparisons with what others use, declared like the papers."""
