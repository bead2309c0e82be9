#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/validate.py FILE: the lines of JSON of all outputs in FILE against src/cli/schema.json, and so the lines of CSV, which follow a line
# "csv", as the records that they stand for.  Prints what is wrong, in a line each, ten at most; exit status 1 then.
import csv
import json
import re
import sys

import jsonschema

with open("src/cli/schema.json") as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)


def value_of(name, text):
    if name == "flags":
        return text.split(";") if text else []
    if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text):
        return float(text) if "." in text else int(text)
    return {"": None, "true": True, "false": False}.get(text, text)


wrong = 0
seen = set()
names = None


def complain(what, line):
    global wrong
    wrong += 1
    if wrong <= 10:
        print(what[:200] + " in " + line[:200].rstrip())


with open(sys.argv[1], encoding="utf-8", errors="surrogateescape") as file:
    for line in file:
        if line == "csv\n":
            names = next(csv.reader([next(line for line in file if line[0] != "#" and line != "csv\n")]))
            if len(set(names)) < len(names) or not all(re.fullmatch("[a-z][a-z0-9_]*", name) for name in names):
                complain("no names of columns", ",".join(names))
            continue
        if line[0] == "{":
            record = json.loads(line)
        else:
            fields = next(csv.reader([line]))
            if len(fields) != len(names):
                complain("it has another number of fields than " + ",".join(names), line)
            record = {name: value_of(name, text) for name, text in zip(names, fields)}
            record["record"] = "sample" if "interval_ns" in names and "flags" in names else "finding"
        # Lines that differ only in their numbers need no second look.
        shape = json.dumps([(k, v if k in ("record", "flags", "state", "units") or v is None else type(v).__name__)
                            for k, v in record.items()])
        if shape in seen:
            continue
        seen.add(shape)
        for error in validator.iter_errors(record):
            complain("/".join(map(str, error.absolute_path)) + ": " + error.message, line)
sys.exit(wrong > 0)
