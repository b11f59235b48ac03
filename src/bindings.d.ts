import type { EmbeddedOrigin } from './embedded/store.ts'

// Modules and bindings that wrangler provides.

declare global {
  namespace Cloudflare {
    interface Env {
      readonly EMBEDDED: DurableObjectNamespace<EmbeddedOrigin>
    }
  }
}
