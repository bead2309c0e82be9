# SPDX-License-Identifier: GPL-2.0-or-later
"""Counts in a server's memory controllers, and caches, through libuncore.

    import uncore

    with uncore.Machine("live", writable=True) as machine:
        with machine.session() as session:
            for box in machine.boxes("imc"):
                if box.present:
                    session.add(box, "cas_count.rd")
            for sample in session.samples(interval=1, count=5):
                for count in sample:
                    print(count.box, count.event, count.per_second, count.flags)

A value is None where hardware gave no number; flags tell why.  Every failure is an uncore.Error with the library's
sentence.  Leaving a `with` puts registers back.  uncore.h describes each structure; libuncore(3) what belongs together.
"""

import contextlib
import ctypes
import os
import weakref
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint64, c_void_p

ERRORS = {-1: "ENOMEM", -2: "EARG", -3: "EPERM", -4: "ENODEV", -5: "EIO", -6: "ENOREG", -7: "ERANGE", -8: "EDENIED",
          -9: "EMAP", -10: "EBUSY", -11: "EAGAIN", -12: "ENODATA", -13: "ENOSUP"}
FLAGS = ("missing", "stolen", "reset", "gap", "late", "scaled", "not_run", "stopped", "changed", "unprogrammed",
         "unconfirmed", "pending", "free_running", "estimate")
NO_NUMBER = {"missing", "stolen", "reset", "gap", "not_run", "stopped", "changed", "unprogrammed", "unconfirmed", "pending"}
PRESENCE = ("present", "missing", "absent", "denied")
LLC_EVENTS = ("occupancy", "total", "local")
LLC_STATUS = ("not_asked", "ok", "unavailable", "error", "disturbed", "stale", "shared", "unassigned")
LLC_FLAGS = ("hijacked", "corrected", "over", "partial", "longer", "late", "local_exceeds", "shared_rmid", "pending",
             "no_counter")


class Error(Exception):
    """The library's sentence; .name is the error's, such as "EBUSY"."""

    def __init__(self, number, sentence):
        super().__init__(sentence)
        self.number, self.name = number, ERRORS.get(number, str(number))


def _struct(name, fields):
    return type(name, (ctypes.Structure,), {"_fields_": fields})


_Cfg = _struct("unc_machine_cfg", [
    ("machine", c_char_p), ("map_dir", c_char_p), ("writable", c_bool), ("state_dir", c_char_p), ("recovers", c_bool),
    ("no_boxes", c_bool), ("trace", c_void_p), ("trace_arg", c_void_p), ("dry_run", c_void_p), ("dry_run_arg", c_void_p),
    ("command_pid", c_int), ("wake_fd", c_int), ("record", c_void_p), ("record_arg", c_void_p), ("record_input", c_char_p),
    ("traffic_maker", c_void_p), ("differs", c_void_p), ("differs_arg", c_void_p)])
_MachineInfo = _struct("unc_machine_info", [
    ("name", c_char_p), ("simulated", c_bool), ("vendor", c_char_p), ("part", c_char_p), ("family", c_uint), ("model", c_uint),
    ("stepping", c_uint), ("n_sockets", c_uint), ("n_cpus", c_uint), ("socket_rule", c_char_p), ("no_counters", c_char_p)])
_BoxInfo = _struct("unc_box_info", [
    ("name", c_char_p), ("socket", c_uint), ("imc", c_uint), ("channel", c_uint), ("pci", c_char_p), ("presence", c_int),
    ("why", c_char_p), ("perf", c_int), ("pcm", c_int), ("likwid", c_int), ("hbm", c_bool)])
_SessionCfg = _struct("unc_session_cfg", [
    ("force", c_bool), ("freeze", c_bool), ("multiplex", c_bool), ("observe", c_bool), ("start", c_bool), ("interval_ns", c_uint64),
    ("confirm_later", c_bool)])
_Count = _struct("unc_count", [
    ("flags", c_uint), ("delta", c_uint64), ("total", c_uint64), ("interval_ns", c_uint64), ("enabled_ns", c_uint64),
    ("running_ns", c_uint64), ("time_ns", c_uint64), ("uncertainty_percent", c_double), ("scale", c_double), ("unit", c_char_p)])
_RegionInfo = _struct("unc_region_info", [
    ("name", c_char_p), ("parent", c_size_t), ("times", c_uint64), ("interval_ns", c_uint64), ("uncertainty_percent", c_double),
    ("too_short", c_bool)])
_LlcCfg = _struct("unc_llc_cfg", [
    ("events", c_uint), ("shared", c_bool), ("no_wait", c_bool), ("no_verify", c_bool), ("confirm_later", c_bool),
    ("read_cpus", POINTER(c_uint)), ("n_read_cpus", c_size_t), ("interval_ns", c_uint64), ("assign", c_bool),
    ("types", c_uint * len(LLC_EVENTS))])
_LlcRowInfo = _struct("unc_llc_row_info", [
    ("group", c_char_p), ("cpus", c_char_p), ("sum", c_bool), ("as_is", c_bool), ("l3", c_uint), ("rmid", c_uint),
    ("l3_bytes", c_uint64)])
_LlcValue = _struct("unc_llc_value", [
    ("status", c_int), ("has_raw", c_bool), ("raw", c_uint64), ("bytes", c_uint64), ("bytes_per_s", c_double),
    ("interval_ns", c_uint64), ("corrected", c_bool), ("uncertainty_percent", c_double), ("late", c_bool)])
_LlcRow = _struct("unc_llc_row", [
    ("flags", c_uint), ("time_ns", c_uint64), ("interval_ns", c_uint64), ("values", _LlcValue * len(LLC_EVENTS)),
    ("has_remote", c_bool), ("remote_bytes", c_uint64), ("remote_uncertain_bytes", c_uint64), ("rmid_found", c_uint)])
_LOG = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)


def _load():
    # Relative to nothing: the loader's own search, or the file that LIBUNCORE names.
    lib = ctypes.CDLL(os.environ.get("LIBUNCORE", "libuncore.so.0"))
    pointer, texts = c_void_p, c_char_p
    for name, result, arguments in (
            ("version", texts, []), ("new", c_int, [POINTER(pointer)]), ("free", None, [pointer]),
            ("errmsg", texts, [pointer]), ("set_log", None, [pointer, _LOG, pointer]),
            ("machine_open", c_int, [pointer, POINTER(_Cfg), POINTER(pointer)]), ("machine_close", c_int, [pointer]),
            ("machine_info", None, [pointer, POINTER(_MachineInfo)]), ("machine_mono_ns", c_uint64, [pointer]),
            ("machine_sleep_until", c_int, [pointer, c_uint64]),
            ("box_count", c_size_t, [pointer, texts]), ("box_at", pointer, [pointer, texts, c_size_t]),
            ("box_info", None, [pointer, POINTER(_BoxInfo)]), ("box_find", c_int, [pointer, texts, POINTER(pointer)]),
            ("session_open", c_int, [pointer, POINTER(_SessionCfg), POINTER(pointer)]),
            ("session_add", c_int, [pointer, pointer, texts, POINTER(c_size_t)]), ("session_start", c_int, [pointer]),
            ("session_event", texts, [pointer, c_size_t]), ("session_sleep_until", c_int, [pointer, c_uint64]),
            ("session_read", c_int, [pointer, POINTER(_Count), c_size_t]), ("session_close", c_int, [pointer]),
            ("count_value", c_double, [POINTER(_Count)]),
            ("regions_open", c_int, [pointer, POINTER(pointer)]), ("regions_close", None, [pointer]),
            ("region_begin", c_int, [pointer, texts]), ("region_end", c_int, [pointer, texts]),
            ("region_count", c_size_t, [pointer]), ("region_info", c_int, [pointer, c_size_t, POINTER(_RegionInfo)]),
            ("region_counts", c_int, [pointer, c_size_t, POINTER(_Count), c_size_t]),
            ("llc_open", c_int, [pointer, POINTER(_LlcCfg), POINTER(pointer)]), ("llc_close", c_int, [pointer]),
            ("llc_add", c_int, [pointer, texts, POINTER(c_uint), c_size_t]), ("llc_start", c_int, [pointer]),
            ("llc_row_count", c_size_t, [pointer]), ("llc_row_info", c_int, [pointer, c_size_t, POINTER(_LlcRowInfo)]),
            ("llc_read", c_int, [pointer, POINTER(_LlcRow), c_size_t]), ("llc_sleep_until", c_int, [pointer, c_uint64])):
        function = getattr(lib, "unc_" + name)
        function.restype, function.argtypes = result, arguments
        setattr(_load, name, function)
    return lib


_load()
_c = _load


def _bytes(text):
    return None if text is None else os.fsencode(text)


def _text(data):
    return None if data is None else os.fsdecode(data)


def _words(flags, words):
    return tuple(word for i, word in enumerate(words) if flags >> i & 1)


def version():
    """The version of the library that runs."""
    return _text(_c.version())


class _Opened(contextlib.AbstractContextManager):
    """What a `with` closes; close() may also be called, and again."""

    _handle = None

    def close(self):
        handle, self._handle = self._handle, None
        if handle:
            self._close(handle)

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if self._handle:
            self.close()


class Machine(_Opened):
    """One computer: "live", "sim:MODEL[,key=value]...", "root:DIR" or "replay:FILE".

    Counting needs writable=True.  notes, if given, is called with each note, a sentence.
    """

    def __init__(self, name="live", writable=False, map_dir=None, state_dir=None, notes=None):
        self._context, self._opened = c_void_p(), weakref.WeakSet()
        if _c.new(byref(self._context)) < 0:
            raise MemoryError
        self._note = _LOG(lambda _, sentence: notes and notes(_text(sentence)))
        _c.set_log(self._context, self._note, None)
        cfg = _Cfg(machine=_bytes(name), map_dir=_bytes(map_dir), state_dir=_bytes(state_dir), writable=writable)
        handle = c_void_p()
        try:
            self.check(_c.machine_open(self._context, byref(cfg), byref(handle)))
        except Error:
            _c.free(self._context)
            raise
        self._handle = handle

    def _close(self, handle):
        try:
            for opened in list(self._opened):  # what the program has not closed itself
                opened.close()
            self.check(_c.machine_close(handle))
        finally:
            _c.free(self._context)

    def check(self, rc):
        """Raises the Error of a function of the library that failed; returns rc otherwise."""
        if rc < 0:
            raise Error(rc, _text(_c.errmsg(self._context)))
        return rc

    @property
    def handle(self):
        if not self._handle:
            raise ValueError("the machine is closed")
        return self._handle

    @property
    def info(self):
        """A dict of unc_machine_info: name, part, family, n_sockets, ..."""
        info = _MachineInfo()
        _c.machine_info(self.handle, byref(info))
        return {name: _text(value) if isinstance(value, bytes) else value
                for name, value in ((field[0], getattr(info, field[0])) for field in info._fields_)}

    def sleep(self, seconds):
        """Sleeps in the machine's time, which a simulated one with clock=step has for itself."""
        self.check(_c.machine_sleep_until(self.handle, _c.machine_mono_ns(self.handle) + round(seconds * 1e9)))

    def boxes(self, unit=None):
        """Every box of a unit, "imc" for memory channels; also those that cannot be reached, whose .why tells why."""
        unit = _bytes(unit)
        for i in range(_c.box_count(self.handle, unit)):
            yield Box(self, _c.box_at(self.handle, unit, i))

    def box(self, name):
        """The box of this whole name."""
        handle = c_void_p()
        self.check(_c.box_find(self.handle, _bytes(name), byref(handle)))
        return Box(self, handle.value)

    def session(self, **cfg):
        """A session; cfg: force, freeze, multiplex, observe, start, interval_ns."""
        return Session(self, cfg)

    def llc(self, groups, **cfg):
        """Monitoring of caches for groups, {"web": [0, 1, 2]}; cfg: shared, no_wait, no_verify, assign."""
        return Llc(self, groups, cfg)


class Box:
    """A block of counters, with the fields of unc_box_info: name, socket, imc, channel, pci, why, hbm, ..."""

    def __init__(self, machine, handle):
        info = _BoxInfo()
        _c.box_info(handle, byref(info))
        self.handle, self.machine = handle, machine
        self.name, self.pci, self.why = _text(info.name), _text(info.pci), _text(info.why)
        self.socket, self.imc, self.channel, self.hbm = info.socket, info.imc, info.channel, info.hbm
        self.presence = PRESENCE[info.presence]
        self.present = self.presence == "present"

    def __repr__(self):
        return f"<uncore.Box {self.name}>"


class Count:
    """One event of one box: value in unit, None if there is no number; flags; delta, total, seconds, time_ns."""

    def __init__(self, box, event, raw):
        self.box, self.event, self.unit = box, event, _text(raw.unit)
        self.flags = _words(raw.flags, FLAGS)
        self.delta, self.total, self.time_ns = raw.delta, raw.total, raw.time_ns
        self.seconds, self.uncertainty_percent = raw.interval_ns / 1e9, raw.uncertainty_percent
        known = NO_NUMBER.isdisjoint(self.flags)
        self.value = _c.count_value(byref(raw)) if known else None
        self.per_second = self.value / self.seconds if known and raw.interval_ns else None

    def __repr__(self):
        return f"<uncore.Count {self.box} {self.event} {self.value} {';'.join(self.flags)}>"


class Session(_Opened):
    """Events of boxes, programmed by start(), which samples(), read() and regions() call at first."""

    def __init__(self, machine, cfg):
        self.machine, self._added, self._started = machine, [], False
        handle = c_void_p()
        machine.check(_c.session_open(machine.handle, byref(_SessionCfg(**cfg)), byref(handle)))
        self._handle = handle
        machine._opened.add(self)

    def _close(self, handle):
        self.machine.check(_c.session_close(handle))

    def add(self, box, event):
        """Adds an event of a box, or of the box of this name, as `uncorectl stat -e` takes it.  Returns its number."""
        box, number = box if isinstance(box, Box) else self.machine.box(box), c_size_t()
        self.machine.check(_c.session_add(self._handle, box.handle, _bytes(event), byref(number)))
        self._added.append(box.name)
        return number.value

    def start(self):
        """Takes counters and starts them."""
        self.machine.check(_c.session_start(self._handle))
        self._started = True

    def _counts(self, raw):
        return [Count(box, _text(_c.session_event(self._handle, i)), raw[i]) for i, box in enumerate(self._added)]

    def read(self):
        """A Count of each event since the last read, in the order of add()."""
        if not self._started:
            self.start()
        raw = (_Count * len(self._added))()
        self.machine.check(_c.session_read(self._handle, raw, len(raw)))
        return self._counts(raw)

    def samples(self, interval=1.0, count=None):
        """Lists of Counts, one each interval seconds; count of them, or without end."""
        return _samples(self, interval, count, _c.session_sleep_until)

    @contextlib.contextmanager
    def regions(self):
        """Regions of a program: `with session.regions() as region:`, then `with region("solve"):`, and region.results()."""
        if not self._started:
            self.start()
        handle = c_void_p()
        self.machine.check(_c.regions_open(self._handle, byref(handle)))
        regions = Regions(self, handle)
        try:
            yield regions
        finally:
            regions._handle = None
            _c.regions_close(handle)


class Regions:
    """See Session.regions()."""

    def __init__(self, session, handle):
        self._session, self._handle = session, handle

    @contextlib.contextmanager
    def __call__(self, name):
        check, name = self._session.machine.check, _bytes(name)
        check(_c.region_begin(self._handle, name))
        try:
            yield
        finally:
            check(_c.region_end(self._handle, name))

    def results(self):
        """For each region, outer ones first: a dict of path, times, seconds, uncertainty_percent, too_short, counts."""
        results, check = [], self._session.machine.check
        for i in range(_c.region_count(self._handle)):
            info, raw = _RegionInfo(), (_Count * len(self._session._added))()
            check(_c.region_info(self._handle, i, byref(info)))
            check(_c.region_counts(self._handle, i, raw, len(raw)))
            above = results[info.parent]["path"] + "/" if info.parent < i else ""
            results.append({"path": above + _text(info.name), "times": info.times, "seconds": info.interval_ns / 1e9,
                            "uncertainty_percent": info.uncertainty_percent, "too_short": info.too_short,
                            "counts": self._session._counts(raw)})
        return results


class Llc(_Opened):
    """Cache monitoring of groups of CPUs; see Machine.llc()."""

    def __init__(self, machine, groups, cfg):
        self.machine, self._started = machine, False
        handle = c_void_p()
        machine.check(_c.llc_open(machine.handle, byref(_LlcCfg(**cfg)), byref(handle)))
        self._handle = handle
        machine._opened.add(self)
        for name, cpus in groups.items():
            machine.check(_c.llc_add(handle, _bytes(name), (c_uint * len(cpus))(*cpus), len(cpus)))

    def _close(self, handle):
        self.machine.check(_c.llc_close(handle))

    def start(self):
        """Gives the groups RMIDs."""
        self.machine.check(_c.llc_start(self._handle))
        self._started = True

    def read(self):
        """A dict for each group on each L3: group, cpus, l3 (None: the sum), flags; occupancy, total, local in bytes and
        per second, each None where there is no number, and its status."""
        if not self._started:
            self.start()
        rows, n = [], _c.llc_row_count(self._handle)
        raw = (_LlcRow * n)()
        self.machine.check(_c.llc_read(self._handle, raw, n))
        for i in range(n):
            info = _LlcRowInfo()
            self.machine.check(_c.llc_row_info(self._handle, i, byref(info)))
            row = {"group": _text(info.group), "cpus": _text(info.cpus), "l3": None if info.sum else info.l3,
                   "flags": _words(raw[i].flags, LLC_FLAGS), "seconds": raw[i].interval_ns / 1e9, "time_ns": raw[i].time_ns}
            for event, value in zip(LLC_EVENTS, raw[i].values):
                good = LLC_STATUS[value.status] == "ok"
                row[event + "_status"] = LLC_STATUS[value.status]
                row[event + "_bytes"] = value.bytes if good else None
                if event != "occupancy":
                    row[event + "_bytes_per_s"] = value.bytes_per_s if good else None
            rows.append(row)
        return rows

    def samples(self, interval=1.0, count=None):
        """Lists as read() returns, one each interval seconds; count of them, or without end."""
        return _samples(self, interval, count, _c.llc_sleep_until)


def _samples(source, interval, count, sleep_until):
    machine = source.machine
    if not source._started:
        source.start()
    due = _c.machine_mono_ns(machine.handle)
    while count is None or count > 0:
        due += round(interval * 1e9)
        machine.check(sleep_until(source._handle, due))
        yield source.read()
        count = None if count is None else count - 1
