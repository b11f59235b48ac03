import type { Message } from '@bufbuild/protobuf'
import type { Findings } from './problems.ts'

/** Tells of fields of a message (not of those inside of it) that its schema does not have. */
export function checkFields(message: Message, where: () => string, findings: Findings): void {
  if (message.$unknown === undefined) return
  for (const { no } of message.$unknown) {
    const type = message.$typeName.split('.').at(-1)
    findings.add('unknown_field', where, `${type} has no field ${no}`)
  }
}
