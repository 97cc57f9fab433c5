"""From raw text to labels: the methods by name, the choice among them, reasons."""
