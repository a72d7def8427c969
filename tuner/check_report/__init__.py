# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reports of a check's nights: as a document, as mail, and as an HTML page."""
