# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles as files and names. What a profile may hold is known to ccpolicy alone; this finds and reads them for Python."""

import hashlib
import os
from collections.abc import Mapping

from ccsim.policy import Profile, ProfileError
from tuner.documents import catalogue
from tuner.errors import BadInputError
