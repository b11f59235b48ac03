import { readFileSync } from 'node:fs'

/** Node can compile modules, which Workers and their types rule out. */
const { Module } = WebAssembly as unknown as {
  Module: new (bytes: Uint8Array) => WebAssembly.Module
}

/** The kernel as Node loads it: the file that `npm run build:kernel` made. */
export const kernelModule = new Module(readFileSync('src/kernel/kernel.wasm'))
