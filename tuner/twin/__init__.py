# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The twin of a fabric: all that ibcc can say of one file, without a question (`ibcc twin`)."""
