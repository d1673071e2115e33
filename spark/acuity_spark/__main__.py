"""`python -m acuity_spark`."""

import sys

from .cli import entry

sys.exit(entry())
