"""Where datasets come from: every loader reads files into `raw` rows, and `assemble` checks and aligns them."""
