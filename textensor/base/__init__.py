"""What every other room stands on: labels, files on disk, compiled code."""
