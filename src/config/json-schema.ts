/**
 * The shape of `sluice.yaml` → JSON Schema for editors. Neighbours: `shape.ts` has the shape,
 * `sluice config schema` prints it, `scripts/config-schema.ts` keeps it in `schema/`. Draft 7, because
 * the YAML plugins of editors know that one best.
 */
import { policyDefinition } from './shape-policy.ts'
import { config } from './shape.ts'

/** The schema as the text of a file, laid out as our formatter does it. */
export function configSchema(): string {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'sluice.yaml',
    description: 'Settings of the Sluice gateway. Every key has a default.',
    ...config.schema,
    definitions: { policy: policyDefinition() },
  }
  return `${print(schema, '')}\n`
}

const WIDTH = 100

/** Maps over several lines, and lists on one where they fit. */
function print(value: unknown, indent: string, before = 0): string {
  const deeper = `${indent}  `
  if (Array.isArray(value)) {
    const short = `[${value.map((item) => JSON.stringify(item)).join(', ')}]`
    const isFlat = value.every((item) => typeof item !== 'object')
    if (isFlat && before + short.length < WIDTH) return short
    const items = value.map((item) => deeper + print(item, deeper, deeper.length))
    return `[\n${items.join(',\n')}\n${indent}]`
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(([key, item]) => {
    const start = `${deeper}${JSON.stringify(key)}: `
    return start + print(item, deeper, start.length)
  })
  return entries.length === 0 ? '{}' : `{\n${entries.join(',\n')}\n${indent}}`
}
