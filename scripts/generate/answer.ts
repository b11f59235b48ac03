/** What a request came to. */
export type Answer =
  | {
      readonly status: number
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string | string[] | undefined>>
      /** Its beginning. */
      readonly body: Uint8Array
    }
  | {
      /** A kind of failure, of which there are few. */
      readonly failure: string
      readonly message: string
    }
