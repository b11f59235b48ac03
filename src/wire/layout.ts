/**
 * What the kernel (AssemblyScript) and its host (TypeScript) agree on. Both import this file, so it uses only what both
 * languages read: untyped integer constants.
 */

// Results below zero. Everything else a kernel function returns is a length, a count or an address.

/** Snappy: the preamble is no length. */
export const E_PREAMBLE = -1
/** Snappy: the preamble claims more than the output region holds. */
export const E_TOO_BIG = -2
/** Snappy: the input ends inside an element. */
export const E_TRUNCATED = -3
/** Snappy: a copy reaches before the start of the output. */
export const E_OFFSET = -4
/** Snappy: an element writes past the claimed length. */
export const E_OVERRUN = -5
/** Snappy: the output is shorter than claimed. */
export const E_LENGTH = -6
/** Protobuf: the message is malformed. */
export const E_PROTO = -7
/** The output region is too small: the host sized it wrongly. */
export const E_SPACE = -8
/** One series has more runs than the rows region holds. */
export const E_RUNS = -9
/** The request has more series than it may. */
export const E_SERIES = -10
/** The message is of the other version of remote write than the content type says. */
export const E_VERSION = -11
/** Remote write 2: a ref points outside of the symbols, refs are odd in number, or the first symbol is not empty. */
export const E_REFS = -12
/** Remote write 2: the request has more symbols than it may. */
export const E_SYMBOLS = -13
/** The request's series take far more bytes once they are written out than its body has. */
export const E_EXPANDS = -14
/** The series at hand is not in the table: the host decides, inserts or refuses it, and resolves on. */
export const MISS = -100
/** The young generation is full: the host emits the rows there are, turns the table over, and resolves on. */
export const PART_TABLE = -101
/** The rows region is full: the host emits the rows there are, and resolves on. */
export const PART_ROWS = -102

/** OTLP: a resource or a scope is longer than the table takes. */
export const E_CONTEXT = -20
// Kinds of points, and bits of the mask that says which an origin takes.
export const SAMPLES = 0
export const HISTOGRAMS = 1
export const EXEMPLARS = 2
export const METADATA = 3
export const KINDS = 4

// What becomes of a series (byte 7 of its record), and why points are rejected.
/** Not a series but a point, from which several are made. */
export const STATUS_GROUP = 255
export const STATUS_OK = 0
/** Dropped by an ingress rule: counted as written. */
export const STATUS_DROPPED = 1
export const REASON_NO_NAME = 2
export const REASON_DUPLICATE_LABEL = 3
export const REASON_EMPTY_LABEL_NAME = 4
export const REASON_UTF8 = 5
export const REASON_TOO_MANY_LABELS = 6
export const REASON_LABEL_NAME_TOO_LONG = 7
export const REASON_LABEL_VALUE_TOO_LONG = 8
/** A point further ahead than `limits.future`. */
export const REASON_FUTURE = 9
// OTLP
/** Of a sum or histogram: delta temporality. */
export const REASON_DELTA = 10
/** Of a sum or histogram: no temporality. */
export const REASON_TEMPORALITY = 11
/** A point without a time. */
export const REASON_NO_TIME = 12
/** The metric's name can't be made into one of Prometheus. */
export const REASON_METRIC_NAME = 13
/** An attribute's key can't be made into a label name. */
export const REASON_ATTRIBUTE_NAME = 14
/** Explicit histogram: the number of counts does not fit that of bounds. */
export const REASON_BUCKETS = 15
/** Explicit histogram: bounds are not strictly increasing, or NaN; summary: quantiles the same twice. */
export const REASON_BOUNDS = 16
/** Exponential histogram: a scale below -4. */
export const REASON_SCALE = 17
// native histograms, and what becomes one
/** Counts, spans or custom values are not consistent (spec 2.7). */
export const REASON_HISTOGRAM = 18
/** A schema that is reserved and can't be reduced. */
export const REASON_SCHEMA = 19
/** A point has more series than are made of one. */
export const REASON_TOO_MANY_BUCKETS = 20
/** Number: neither a double nor an integer, and not marked as missing. */
export const REASON_NO_VALUE = 21
export const REASONS = 22

// Kinds of OTLP metrics.
export const OTLP_GAUGE = 0
/** Not monotonic. */
export const OTLP_SUM = 1
export const OTLP_COUNTER = 2
export const OTLP_HISTOGRAM = 3
export const OTLP_EXPONENTIAL = 4
export const OTLP_SUMMARY = 5
/** Stands for target_info, where a metric stands in the key of a point. */
export const OTLP_TARGET = 254
/** Stands for an exemplar's attributes. */
export const OTLP_EXEMPLAR = 255

// What a MISS is about.
/** A series of remote write. */
export const MISS_SERIES = 0
/** A data point of OTLP. */
export const MISS_POINT = 1
/** A native histogram with custom buckets: the classic series that stand in for it. */
export const MISS_CUSTOM = 4
/** What a value comes to, by a rule that asks the host: R_KEY its memo, R_KEY_LENGTH the label's pair, or ABSENT (rule-layout.ts). */
export const MISS_RULE = 5

// How resolve() is to take up its work.
/** A new body. */
export const RESOLVE_BEGIN = 0
/** Look the series of the last MISS up again, or go on with the next part. */
export const RESOLVE_ON = 1
/** Refuse the series of the last MISS; the reason is added to this number. */
export const RESOLVE_REFUSE = 16

// The report: u32 words at the start of the report region, written by the kernel, read by the host.

/** MISS: address and length of the series key; number of its labels, whose ids are in the list region. */
export const R_KEY = 0
export const R_KEY_LENGTH = 1
export const R_KEY_LABELS = 2
/** 1: the labels are sorted by the bytes of their names, each name once. 0: not known. */
export const R_KEY_SORTED = 3
/** What kind of thing the MISS is about: MISS_ numbers. */
export const R_MISS = 4
/** Points of this body so far, by kind: all that came in. */
export const R_RECEIVED = 8
/** Points dropped by an ingress rule, by kind. */
export const R_DROPPED = 12
/** Series of this body so far; of them those that were not in the table; those that were in its old generation. */
export const R_SERIES = 16
export const R_MISSED = 17
export const R_MOVED = 18
/** Rejected series or points of which the host knows nothing yet: how many are noted, then NOTES of {record or address, reason, time low or length, time high}. */
export const R_NOTED = 19
export const R_NOTES = 20
export const NOTES = 4
/** emit(): points in the last piece, by kind. */
export const R_PIECE = 36
/** 1: the last piece begins inside a series that an earlier one ends in. */
export const R_CONTINUES = 40
/** OTLP data points whose first row is out with the last piece. */
export const R_PIECE_POINTS = 41
/** emit(): since emitBegin(), by kind: dropped by the variant's rules, not wanted by the mask, replaced by a later point of the same series and time, and larger than a request may be. */
export const R_VARIANT_DROPPED = 44
export const R_UNWANTED = 48
export const R_SUPERSEDED = 52
export const R_OVERSIZE = 56
/** Table: series, pairs and bytes of the young generation, and of the old one. */
export const R_YOUNG = 60
export const R_OLD = 64
/** OTLP: data points that came in, and those left out in silence (`delta: drop`). */
export const R_POINTS = 68
export const R_POINTS_DROPPED = 69
/** emit(): since emitBegin(), histograms with custom buckets that classic series stand in for, and samples of those: they count instead. */
export const R_EXPANDED = 70
export const R_MADE = 71
/** OTLP: data points rejected, by reason. */
export const R_POINTS_REJECTED = 72
/** Points rejected: REASONS x KINDS. */
export const R_REJECTED = 96
export const REPORT_WORDS = 192

/** Bytes of a row. */
export const ROW = 28
/** Labels of a series at the most: those of the key and of the output together are indexed by a byte. */
export const MAX_LABELS = 127
/** Points of one merged series at the most; a longer chain is sent as it came. */
export const MAX_MERGE = 65536
/** Tenant of messages of our own making: no sender's. Nothing is remembered for it, and its messages may take what the bodies that they are made of took. */
export const OWN_TENANT = 65535
/** Series that are made of one OTLP point or one histogram at the most. */
export const MAX_GROUP = 4096
/** Pairs that stand for where an OTLP point is from, at the start of its key. */
export const CONTEXT = 4
/** Bytes that emit() wants behind the piece's limit: wide copies may write too far. */
export const SLACK = 32
/** Readable bytes that every region keeps behind its end: wide loads may see them, no result depends on them. */
export const PAD = 64
