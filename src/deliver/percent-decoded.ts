/** `text` without its percent-encoding. A lone % in a password is legal in a URL and means itself: then all of it stays as it is. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return text
    throw error
  }
}
