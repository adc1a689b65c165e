"""Tables with known classes, and scores of clusters on them.

The modules here import each other by their bare names, as scripts in a folder do. So that scripts
of the folder above can import them from the package, the folder is put on the path.
"""

import sys
from pathlib import Path

if str(Path(__file__).parent) not in sys.path:
    sys.path.append(str(Path(__file__).parent))
