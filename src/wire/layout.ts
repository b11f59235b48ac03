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
/** The series at hand is not in the table: the host decides, inserts or refuses it, and resolves on. */
export const MISS = -100
/** The young generation is full: the host emits the rows there are, turns the table over, and resolves on. */
export const PART_TABLE = -101
/** The rows region is full: the host emits the rows there are, and resolves on. */
export const PART_ROWS = -102

// Kinds of points, and bits of the mask that says which an origin takes.
export const SAMPLES = 0
export const HISTOGRAMS = 1
export const EXEMPLARS = 2
export const METADATA = 3
export const KINDS = 4

// What becomes of a series (byte 7 of its record), and why points are rejected.
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
export const REASONS = 10

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
/** Points of this body so far, by kind: all that came in. */
export const R_RECEIVED = 4
/** Points dropped by an ingress rule, by kind. */
export const R_DROPPED = 8
/** Points rejected: REASONS x KINDS. */
export const R_REJECTED = 12
/** Series of this body so far; of them those that were not in the table; those that were in its old generation. */
export const R_SERIES = 52
export const R_MISSED = 53
export const R_MOVED = 54
/** Rejected series of which the host knows nothing yet: how many are noted, then NOTES of {record, reason, time low, time high}. */
export const R_NOTED = 55
export const R_NOTES = 56
export const NOTES = 4
/** emit(): points in the last piece, by kind. */
export const R_PIECE = 72
/** 1: the last piece begins inside a series that an earlier one ends in. */
export const R_CONTINUES = 76
/** emit(): since emitBegin(), by kind: dropped by the variant's rules, not wanted by the mask, replaced by a later point of the same series and time, and larger than a request may be. */
export const R_VARIANT_DROPPED = 80
export const R_UNWANTED = 84
export const R_SUPERSEDED = 88
export const R_OVERSIZE = 92
/** Table: series, pairs and bytes of the young generation, and of the old one. */
export const R_YOUNG = 96
export const R_OLD = 100
export const REPORT_WORDS = 128

/** Bytes of a row. */
export const ROW = 24
/** Labels of a series at the most: those of the key and of the output together are indexed by a byte. */
export const MAX_LABELS = 127
/** Points of one merged series at the most; a longer chain is sent as it came. */
export const MAX_MERGE = 65536
/** Bytes that emit() wants behind the piece's limit: wide copies may write too far. */
export const SLACK = 32
/** Readable bytes that every region keeps behind its end: wide loads may see them, no result depends on them. */
export const PAD = 64
