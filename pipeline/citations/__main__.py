"""python -m pipeline.citations: the verb itself stands on the top floor."""

import sys

from pipeline.check_citations import main

if __name__ == "__main__":
    sys.exit(main())
