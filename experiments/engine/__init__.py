"""The engine: what is declared is run once, kept, and shown as tables, figures and pages."""
