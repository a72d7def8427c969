# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the service answers: one file a resource, models and nothing else. Its clients import them too, and a command line that
asks a service should not have to load one."""
