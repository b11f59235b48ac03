const HIDDEN = '***'

/**
 * `text` with every secret in it replaced, as it is, or as URLs, JSON or HTML write it. With `cut`, the text may end in the middle of a secret: then the start of one at its end goes too.
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
  const json = JSON.stringify(secret).slice(1, -1)
  const forms = [secret, json, json.replace(/[<>&]/g, unicodeEscape), ...htmlFormsOf(secret)]
  if (secret.isWellFormed()) {
    const percent = encodeURIComponent(secret)
    const inForm = new URLSearchParams([['', secret]]).toString().slice(1)
    forms.push(percent, lowerCasePercent(percent), inForm, lowerCasePercent(inForm))
  }
  return [...new Set(forms)]
}

/** As Go's JSON encoder writes what could end a script. */
function unicodeEscape(character: string): string {
  return `\\u00${character.charCodeAt(0).toString(16)}`
}

function lowerCasePercent(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())
}

/** What the usual escapers make of quotes, each a line: Go's two, Python's, everybody else's. */
const QUOTES: readonly Readonly<Record<string, string>>[] = [
  { '"': '&#34;', "'": '&#39;' },
  { '"': '&#34;', "'": '&#39;', '+': '&#43;' },
  { '"': '&quot;', "'": '&#x27;' },
  { '"': '&quot;', "'": '&#39;' },
]
const BRACKETS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function htmlFormsOf(secret: string): string[] {
  return QUOTES.map((quotes) =>
    secret.replace(
      /[&<>"'+]/g,
      (character) => BRACKETS[character] ?? quotes[character] ?? character,
    ),
  )
}

function endsWithStartOf(text: string, secret: string): number {
  for (let length = Math.min(secret.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(secret.slice(0, length))) return length
  }
  return 0
}
