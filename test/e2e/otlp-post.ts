/** What an OTLP receiver answered. */
export interface Answer {
  readonly status: number
  /** Its content type. */
  readonly type: string
  readonly body: Buffer
}

/** Sends a body to an OTLP receiver. */
export async function postOtlp(
  url: string,
  body: Uint8Array | string,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', headers, body: body as BodyInit })
  const type = response.headers.get('content-type') ?? ''
  return { status: response.status, type, body: Buffer.from(await response.arrayBuffer()) }
}
