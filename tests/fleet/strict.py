# SPDX-License-Identifier: GPL-2.0-or-later
"""strict.py FILE: the strict OpenMetrics parser of python3-prometheus-client reads it, and something is in it."""
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families

with open(sys.argv[1], encoding="utf-8") as file:
    families = list(text_string_to_metric_families(file.read()))
if sum(len(family.samples) for family in families) < 20:
    sys.exit("hardly anything is in it")
