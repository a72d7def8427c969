# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The service: a REST API over fabrics, profiles and campaigns, the people who may use them, and the web UI's files."""
