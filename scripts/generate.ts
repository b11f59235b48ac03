import { type CommandLine, createCommand } from './generate/command.ts'
import { listenForInterrupt } from './generate/interrupt.ts'
import { OptionProblem } from './generate/option-problem.ts'
import { planOf } from './generate/plan.ts'
import { run } from './generate/run.ts'

// npm run generate -- --url URL …: puts load on a receiver and verifies what it kept. See docs/generate.md.

const command = createCommand().exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
const given = command.parse().opts<CommandLine>()
const interrupt = listenForInterrupt()

try {
  process.exitCode = await run(planOf(given, process.env), process, interrupt)
} catch (problem) {
  if (!(problem instanceof OptionProblem)) throw problem
  console.error(`error: ${problem.message}`)
  process.exitCode = 2
} finally {
  interrupt.end()
}
