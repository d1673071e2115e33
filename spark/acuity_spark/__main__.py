"""`python -m acuity_spark`."""

import sys

from .cli import main

sys.exit(main())
