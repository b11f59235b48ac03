import { alike } from './alike';
import { putVarint } from './protobuf';
import { encodeBlocks } from './snappy-encode';
import { beginFollow, endFollow } from './snappy-follow';

// The snappy block of a message of remote write 1.0 while emit1() writes the message. What is written of the message is encoded in segments: a stretch of series whose
// encoded form is known (stencil.ts) comes between two of them, and is never written out at all. So the message is not whole anywhere; each segment starts where it does.

/** Room for the length of the message, which is written last. */
const PREAMBLE: usize = 8;
const UNKNOWN: u32 = 0;
const PLAIN: u32 = 1;
const FOLLOW: u32 = 2;

/** Whether a block is being written. */
export let blocks: bool = false;
/** Where the next element of the block goes, and where its region ends. */
export let blockAt: usize = 0;
export let blockEnd: usize = 0;
/** Where each segment of the message starts. */
export let segmentAt: usize = 0;
/** What the encoders may use. */
export let encodeScratch: usize = 0;

let block: usize = 0;
let open: bool = false;
/** Bytes of the message that are encoded. */
let before: usize = 0;
let variant: u32 = 0;
let way: u32 = UNKNOWN;

/** A variant's rows are to be written: how their text is best encoded is not known yet. */
export function forgetWay(forVariant: u32): void {
  variant = forVariant;
  way = UNKNOWN;
}

/** Begins the block of a message whose segments are written to `at`. It goes to [to, end), maxEncoded() of the message; scratch: for either encoder. */
export function beginBlock(at: usize, to: usize, end: usize, scratch: usize): void {
  blocks = true;
  open = false;
  segmentAt = at;
  block = blockAt = to + PREAMBLE;
  blockEnd = end;
  encodeScratch = scratch;
  before = 0;
}

/** Whether text is best encoded by what is known of it (snappy-follow.ts). */
export function followed(): bool {
  if (way == UNKNOWN) way = alike(variant) ? FOLLOW : PLAIN;
  return way == FOLLOW;
}

/** What is written from segmentAt on is text to be encoded. */
// @ts-ignore: decorator
@inline
export function openSegment(): void {
  if (!open) openNow();
}

function openNow(): void {
  open = true;
  if (followed()) beginFollow(segmentAt, blockAt, encodeScratch);
}

/** The segment ends at e: what is written next goes to segmentAt again. */
export function closeSegment(e: usize): void {
  if (open) blockAt = followed() ? endFollow(e) : encodeBlocks(segmentAt, e, blockAt, encodeScratch);
  open = false;
  before += e - segmentAt;
}

/** The block goes on to e with what n bytes of the message come to. */
export function passBlock(e: usize, n: usize): void {
  blockAt = e;
  before += n;
}

/** Ends the block where the segment at hand ends. Returns the length of the message. */
export function endBlock(e: usize): usize {
  closeSegment(e);
  blocks = false;
  let bytes: usize = 1;
  for (let n = before; n > 127; n >>>= 7) bytes++;
  block -= bytes;
  putVarint(block, <u32>before);
  return before;
}

/** Where the last block starts and ends. */
export function blockStart(): usize { return block; }
export function blockStop(): usize { return blockAt; }
