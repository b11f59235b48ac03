import type { EmbeddedOrigin } from './embedded/store.ts'

// Modules and bindings that wrangler provides.

declare global {
  namespace Cloudflare {
    interface Env {
      readonly EMBEDDED: DurableObjectNamespace<EmbeddedOrigin>
      /** A config in KV, where there is one. */
      readonly SLUICE_KV?: KVNamespace
      /** `loopback`: set by `npm start` when only this machine can connect. */
      readonly SLUICE_OPEN?: string
    }
  }
}
