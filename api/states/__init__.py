# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""States of campaigns, jobs, promotions, checks, answers and imports: for each one table of its states and of who may do what in
them.

The service decides by these tables, routes take the required role from them, and answers carry what follows from them for the
person who asks, as `actions`. No other list of states stands anywhere: not in the web interface, nor in the command line client.
"""
