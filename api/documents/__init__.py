# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Documents in the service's answers: one file for each resource, with nothing but models. Clients import them too, and a
command line that asks a service should not have to load the service."""
