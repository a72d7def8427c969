# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

# So that a check which fails there shows its values, as one in a test would.
pytest.register_assert_rewrite("tests.tuner.topologies.conformance")
