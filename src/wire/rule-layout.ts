/**
 * How relabel rules are written for the kernel (src/relabel/rule-program.ts writes, src/kernel/assembly/rules.ts runs). Both import this file: untyped integer constants only.
 * All numbers are u32, 4-aligned; a place is an offset from the program's start. Texts are bytes, anywhere.
 *
 *   program   +0 variants   +4 ingress block, 0 for none   +8 number of external labels   +12 external labels: places of fixed labels
 *            +16 labels that a series may have   +20 name `__name__`   +24 a block for each variant, 0 for none
 *   block     number of rules, then the rules
 *   rule      RULE_ words
 *   name      +0 u64 key: its length and first seven bytes   +8 u64 mask of those that it has   +16 length   +20 text   +24 where it was last: the kernel's
 *   fixed     +0 length of the label field   +4 u32 pair, +8 u32 generation: the kernel's   +12 the field
 *   matcher   +0 alternatives   +4 groups   +8 whether group 1 is around them   +12 32 bytes: a bit for each byte that a match may begin with
 *            +44 alternatives: SHAPE_ words each (see src/relabel/shape.ts)
 *   template  number of parts; of each: a group's number + 1, or 0 and then   place and length of a text
 */

/** Most bytes of a program. */
export const PROGRAM = 65536
/** Rules that remember what a value comes to, what the host said or what was made: so many, and for each so many values. */
export const MEMOS = 32
export const MEMO_BITS = 9

export const RULE_ACTION = 0
/** Number and place of the names of its sources. */
export const RULE_SOURCES = 1
export const RULE_SOURCES_AT = 2
export const RULE_SEPARATOR = 3
export const RULE_SEPARATOR_LENGTH = 4
/** Place of its matcher; 0: the host matches. */
export const RULE_MATCHER = 5
/** Number of its memo + 1, 0 for none. Where the host matches there is one. */
export const RULE_MEMO = 6
/** Place of the target's name. */
export const RULE_TARGET = 7
/** Place of a template; 0: what is set is fixed. */
export const RULE_TEMPLATE = 8
/** Place of the fixed label, 0 when it is empty: then the target is removed. */
export const RULE_FIXED = 9
export const RULE_MODULUS_LOW = 10
export const RULE_MODULUS_HIGH = 11
export const RULE_WORDS = 12

export const ACTION_KEEP = 0
export const ACTION_DROP = 1
export const ACTION_REPLACE = 2
export const ACTION_HASHMOD = 3
export const ACTION_LABELDROP = 4
export const ACTION_LABELKEEP = 5
export const ACTION_LOWERCASE = 6
export const ACTION_UPPERCASE = 7
export const ACTION_KEEPEQUAL = 8
export const ACTION_DROPEQUAL = 9

export const SHAPE_PREFIX = 0
export const SHAPE_PREFIX_LENGTH = 1
/** Gaps: 0 to 2. */
export const SHAPE_GAPS = 2
/** Of each gap: least, whether it is lazy, the byte that it can't hold + 1 (0: none), its group (0: none). */
export const SHAPE_GAP = 3
export const GAP_WORDS = 4
export const SHAPE_MIDDLE = 11
export const SHAPE_MIDDLE_LENGTH = 12
export const SHAPE_SUFFIX = 13
export const SHAPE_SUFFIX_LENGTH = 14
export const SHAPE_WORDS = 15

/** What the host says of a value: no match, a match, the target is removed; 0: it does such series itself; more than these: a pair that is set. */
export const ANSWER_NO = 1
export const ANSWER_YES = 2
export const ANSWER_REMOVE = 3
/** The value of a label that is absent, where a pair is asked about. */
export const ABSENT = 2
