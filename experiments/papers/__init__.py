"""The five papers: a module declares what is run, the TOML file beside it holds what the paper printed."""
