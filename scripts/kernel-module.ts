import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const KERNEL = join(root, 'src/kernel/kernel.wasm')
const SOURCES = [join(root, 'src/kernel/assembly'), join(root, 'src/wire')]

/** Node can compile modules, which Workers and their types rule out. */
const { Module } = WebAssembly as unknown as {
  Module: new (bytes: Uint8Array) => WebAssembly.Module
}

/** The kernel, built first (some seconds) where it is not there or older than its sources. Throws when that fails. */
export function loadKernelModule(): WebAssembly.Module {
  if (!isFresh()) {
    const options = { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' } as const
    const { status, stdout, stderr, error } = spawnSync(
      'npm',
      ['run', '-s', 'build:kernel'],
      options,
    )
    if (status !== 0) throw new Error(`the kernel can't be built: ${error ?? `${stdout}${stderr}`}`)
  }
  return new Module(readFileSync(KERNEL))
}

function isFresh(): boolean {
  if (!existsSync(KERNEL)) return false
  const built = statSync(KERNEL).mtimeMs
  return SOURCES.every((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.ts'))
      .every((name) => statSync(join(folder, name)).mtimeMs <= built),
  )
}
