/** What the Worker uses of the embedded origin: it speaks HTTP. */
export interface EmbeddedStub {
  fetch(url: string, init?: RequestInit): Promise<Response>
}

/** The one object that is the embedded origin. Make a stub per request: stubs don't cross requests. */
export function embeddedStub(namespace: DurableObjectNamespace): EmbeddedStub {
  return namespace.get(namespace.idFromName('embedded'))
}
