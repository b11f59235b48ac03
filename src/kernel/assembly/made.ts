// Points that did not come in the form in which they go out are written here, as whole fields of remote write 1.0, and rows point to them. The
// region's bytes live as long as the rows of a part.

let region: usize = 0;
let regionEnd: usize = 0;

/** Where the next point goes. */
export let made: usize = 0;
/** Changes whenever rows and what was made for them are forgotten: addresses remembered under another number are stale. Never 0. */
export let era: u32 = 1;

export function initMade(at: usize, size: usize): void {
  region = made = at;
  regionEnd = at + size;
}

/** Forgets the points of the part before. */
export function resetMade(): void {
  made = region;
  if (++era == 0) era = 1;
}

/** Bytes of the region. */
export function madeSize(): usize {
  return regionEnd - region;
}

/** Bytes that are left. */
// @ts-ignore: decorator
@inline
export function madeLeft(): usize {
  return regionEnd - made;
}

/** What lies before `to` stays; `to` may also be an earlier `made`, and then what came after it is forgotten. */
// @ts-ignore: decorator
@inline
export function keepMade(to: usize): void {
  made = to;
}
