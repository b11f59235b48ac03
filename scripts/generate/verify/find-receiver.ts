import type { SamplesEnd } from '../../../src/embedded/sample-lines.ts'
import { OptionProblem } from '../option-problem.ts'
import { AskProblem, ask, type Receiver, textOf } from './ask.ts'
import { askPrometheus } from './ask-prometheus.ts'
import { RUN_LABEL } from './run-labels.ts'

/** What kind of receiver can be asked. */
export type ReceiverKind =
  | { readonly kind: 'prometheus' }
  /** The embedded origin of Sluice, and what it has already. */
  | { readonly kind: 'embedded'; readonly after: number }

/** Finds out by its answers what is at a URL. Throws an OptionProblem when it is nothing that can be asked for samples. */
export async function findReceiver(receiver: Receiver, run: string): Promise<ReceiverKind> {
  try {
    const answer = await ask(receiver, '/embedded/samples?after=newest')
    const text = await textOf(answer, 1024 * 1024, receiver.shown)
    const type = answer.headers.get('content-type') ?? ''
    if (answer.ok && type.includes('application/x-ndjson')) {
      const after = afterOf(text.trimEnd().split('\n').at(-1)!)
      if (after !== undefined) return { kind: 'embedded', after }
    }
    if (answer.status === 401 || answer.status === 403) throw new AskProblem('', answer.status)
    if (text.includes('the config does not forward to the embedded origin')) {
      throw new OptionProblem(
        '--verify: this Sluice forwards to other origins only: give the URL of one of them',
      )
    }
    const now = Date.now()
    await askPrometheus(receiver, `{${RUN_LABEL}="${run}"}`, now - 1000, now)
    return { kind: 'prometheus' }
  } catch (error) {
    if (error instanceof AskProblem) throw new OptionProblem(`--verify: ${whyNot(error)}`)
    throw error
  }
}

/** Undefined where the line is none that ends a page. */
function afterOf(line: string): number | undefined {
  try {
    const { after } = JSON.parse(line) as Partial<SamplesEnd>
    return typeof after === 'number' ? after : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function whyNot({ status, message }: AskProblem): string {
  if (status !== 401 && status !== 403) {
    return `neither the API of Prometheus nor the embedded origin of Sluice: ${message}`
  }
  return `it answers ${status}: say who asks with --verify-bearer-env, --verify-basic-env or --verify-header`
}
