/** What snappyjs compresses with: the package's own types leave it out, and its `compress` makes two new buffers each time. */
declare module 'snappyjs/snappy_compressor.js' {
  export class SnappyCompressor {
    constructor(uncompressed: Uint8Array)
    /** `into` has to be so large. */
    maxCompressedLength(): number
    /** Returns how many bytes it wrote. */
    compressToBuffer(into: Uint8Array): number
  }
}
