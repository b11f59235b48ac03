import { createHash } from 'node:crypto'

/** MD5 of the UTF-8 bytes of `value`, its last 8 bytes as a big-endian number, modulo `modulus`, in decimal. */
export type Hashmod = (value: string, modulus: bigint) => string

/** The plain way to do it, on node:crypto. */
export const md5Hashmod: Hashmod = (value, modulus) =>
  String(createHash('md5').update(value, 'utf8').digest().readBigUInt64BE(8) % modulus)
