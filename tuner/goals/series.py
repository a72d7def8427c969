# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The type of the flows' series. It stands apart from the table of metrics, which documents need and which must not take the time
to import NumPy."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Series: TypeAlias = npt.NDArray[np.float64]
