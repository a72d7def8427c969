# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Optuna samplers of ibcc's own. They import Optuna, so the registry of samplers, which reads documents, does not import them."""
