#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/validate.py FILE: the lines of JSON of all outputs in FILE against src/cli/schema.json.  Prints what is wrong, in a line each, ten
# at most; exit status 1 then.
import json
import sys

import jsonschema

with open("src/cli/schema.json") as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
wrong = 0
seen = set()
with open(sys.argv[1], encoding="utf-8", errors="surrogateescape") as file:
    for line in file:
        record = json.loads(line)
        # Lines that differ only in their numbers need no second look.
        shape = json.dumps([(k, v if k in ("record", "flags", "state", "units") or v is None else type(v).__name__)
                            for k, v in record.items()])
        if shape in seen:
            continue
        seen.add(shape)
        for error in validator.iter_errors(record):
            wrong += 1
            if wrong <= 10:
                print("/".join(map(str, error.absolute_path)) + ": " + error.message[:200] + " in " + line[:200].rstrip())
sys.exit(wrong > 0)
