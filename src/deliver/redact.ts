const HIDDEN = '***'

/**
 * `text` with every secret in it replaced, as it is, percent-encoded or as JSON writes it. With
 * `cut`, the text may end in the middle of a secret: then the start of one at its end goes too.
 */
export function redact(text: string, secrets: readonly string[], cut = false): string {
  const forms = secrets.flatMap(formsOf).sort((a, b) => b.length - a.length)
  const hidden = forms.reduce((rest, form) => rest.replaceAll(form, HIDDEN), text)
  if (!cut) return hidden
  const partial = Math.max(0, ...forms.map((form) => endsWithStartOf(hidden, form)))
  return hidden.slice(0, hidden.length - partial)
}

function formsOf(secret: string): string[] {
  if (secret === '') return []
  const forms = [secret, JSON.stringify(secret).slice(1, -1)]
  if (secret.isWellFormed()) forms.push(encodeURIComponent(secret))
  return [...new Set(forms)]
}

function endsWithStartOf(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(secret.slice(0, length))) return length
  }
  return 0
}
