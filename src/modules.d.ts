/** A YAML file that is bundled with the Worker as text. */
declare module '*.yaml' {
  const text: string
  export default text
}

/** A WebAssembly file, compiled when the Worker is deployed. */
declare module '*.wasm' {
  const module: WebAssembly.Module
  export default module
}
