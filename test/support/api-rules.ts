/**
 * The tongue in which the rules of the three APIs are written down: checks that look at one value and report
 * what its API would refuse. Neighbours: `api-rules-{anthropic,chat,responses}.ts` say the rules,
 * `api-rules-schema.ts` those of JSON Schema. Knows nothing of `src/`: a judge that shares code with the
 * accused finds nothing.
 */
export interface Finding {
  /** `messages[2].content[0].text` */
  readonly path: string
  readonly message: string
}

export type Json = Record<string, unknown>
export type Report = (path: string, message: string) => void
export type Check = (value: unknown, path: string, report: Report) => void

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const toObjects = (value: unknown): Json[] =>
  toList(value).map((item) => (isObject(item) ? item : {}))

/** Runs the rules over a body and gives back what they found. */
export function collect(run: (report: Report) => void): Finding[] {
  const findings: Finding[] = []
  run((path, message) => findings.push({ path, message }))
  return findings
}

export const anything: Check = () => {}

/**
 * An object with exactly these fields; those that may be missing end with `?`. Others are refused. `undefined`
 * is no field: it does not get into JSON.
 */
export function object(fields: Readonly<Record<string, Check>>): Check {
  const known = new Map(
    Object.entries(fields).map(([key, check]) => [
      key.replace(/\?$/, ''),
      { check, isOptional: key.endsWith('?') },
    ]),
  )
  return (value, path, report) => {
    if (!isObject(value)) return report(path, 'Input should be an object')
    for (const key of Object.keys(value))
      if (value[key] !== undefined && !known.has(key))
        report(join(path, key), 'Extra inputs are not permitted')
    for (const [key, { check, isOptional }] of known) {
      if (value[key] !== undefined) check(value[key], join(path, key), report)
      else if (!isOptional) report(join(path, key), 'Field required')
    }
  }
}

export function list(check: Check, limits: { min?: number; max?: number } = {}): Check {
  return (value, path, report) => {
    if (!Array.isArray(value)) return report(path, 'Input should be a list')
    if (value.length < (limits.min ?? 0)) report(path, 'List is too short')
    if (value.length > (limits.max ?? Infinity)) report(path, 'List is too long')
    value.forEach((item, i) => check(item, `${path}[${i}]`, report))
  }
}

export interface TextLimits {
  readonly min?: number
  readonly max?: number
  readonly pattern?: RegExp
}

export function text({ min = 0, max = Infinity, pattern }: TextLimits = {}): Check {
  return (value, path, report) => {
    if (typeof value !== 'string') return report(path, 'Input should be a string')
    if (value.length < min) report(path, 'String is too short')
    if (value.length > max) report(path, `String is longer than ${max}`)
    if (pattern !== undefined && !pattern.test(value))
      report(path, `String should match ${pattern}: got "${value.slice(0, 80)}"`)
  }
}

export function number(limits: { min?: number; max?: number; isInt?: boolean } = {}): Check {
  return (value, path, report) => {
    if (typeof value !== 'number' || !Number.isFinite(value))
      return report(path, 'Input should be a number')
    if (limits.isInt === true && !Number.isInteger(value)) report(path, 'Should be an integer')
    if (value < (limits.min ?? -Infinity)) report(path, `Should be at least ${limits.min}`)
    if (value > (limits.max ?? Infinity)) report(path, `Should be at most ${limits.max}`)
  }
}

export const int = (min: number, max = Infinity): Check => number({ min, max, isInt: true })

export const flag: Check = (value, path, report) => {
  if (typeof value !== 'boolean') report(path, 'Input should be true or false')
}

export function oneOf(...values: readonly unknown[]): Check {
  return (value, path, report) => {
    if (!values.includes(value))
      report(path, `Input should be one of ${values.join(', ')}: got ${JSON.stringify(value)}`)
  }
}

export const nullable =
  (check: Check): Check =>
  (value, path, report) => {
    if (value !== null) check(value, path, report)
  }

/** A string, or what the other check takes. */
export const textOr =
  (other: Check, limits?: TextLimits): Check =>
  (value, path, report) =>
    (typeof value === 'string' ? text(limits) : other)(value, path, report)

/** A union told apart by one field, `type` unless another is named. */
export function byField(field: string, members: Readonly<Record<string, Check>>): Check {
  return (value, path, report) => {
    if (!isObject(value)) return report(path, 'Input should be an object')
    const tag = value[field]
    const check = typeof tag === 'string' && Object.hasOwn(members, tag) ? members[tag] : undefined
    if (check === undefined)
      return report(join(path, field), `Not one of ${Object.keys(members).join(', ')}`)
    check(value, path, report)
  }
}

export const byType = (members: Readonly<Record<string, Check>>): Check => byField('type', members)

/** The same with a `type` field that says so. */
export const typed = (type: string, fields: Readonly<Record<string, Check>>): Check =>
  object({ type: oneOf(type), ...fields })

/** Up to 16 pairs of short strings: what OpenAI takes as metadata. */
export const pairs: Check = (value, path, report) => {
  if (!isObject(value)) return report(path, 'Input should be an object')
  const entries = Object.entries(value)
  if (entries.length > 16) report(path, 'At most 16 pairs')
  for (const [key, item] of entries) {
    if (key.length > 64) report(join(path, key), 'Key is longer than 64')
    text({ max: 512 })(item, join(path, key), report)
  }
}

export const isBase64 = (value: string): boolean => /^[A-Za-z0-9+/]+={0,2}$/.test(value)

/** An address, or an image in the request itself. */
export const imageUrl: Check = (value, path, report) => {
  if (typeof value !== 'string') return report(path, 'Input should be a string')
  const data = /^data:image\/(?:jpeg|png|gif|webp);base64,(.*)$/s.exec(value)
  if (data !== null ? !isBase64(data[1] ?? '') : !/^https?:\/\/\S+$/.test(value))
    report(path, `Not an address and no base64 image: "${value.slice(0, 40)}"`)
}

export const fileData = text({ pattern: /^data:[\w.+-]+\/[\w.+-]+;base64,[A-Za-z0-9+/]+={0,2}$/ })

/** Tools have names of their own. */
export function uniqueNames(names: readonly unknown[], path: string, report: Report): void {
  const seen = new Set<unknown>()
  for (const name of names) {
    if (seen.has(name)) report(path, `Tool names must be unique: "${String(name)}"`)
    seen.add(name)
  }
}

/** What is ours alone reached a vendor: the envelope that sealed thinking travels in. */
export function noEnvelopes(body: unknown, report: Report): void {
  const found = /"[^"]*sluice1\.[^"]*"/.exec(JSON.stringify(body) ?? '')
  if (found !== null) report('', `Holds an envelope of ours: ${found[0].slice(0, 60)}`)
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

/** `claude-opus-4-8` is 4.08; what has no number is taken for newest. */
export function claudeVersion(model: string): number {
  const found = /claude-(?:[a-z]+-)?(\d+)(?:[-.](\d{1,2})(?!\d))?/.exec(model)
  return found === null ? 99 : Number(found[1]) + Number(found[2] ?? 0) / 100
}

/** What OpenAI's model is, by its name; `undefined` for models of others. */
export function openAiModel(model: string): { version: number; isReasoning: boolean } | undefined {
  const name = model.replace(/^.*\//, '')
  const gpt = /^gpt-(\d+)(?:\.(\d+))?/.exec(name)
  const version = gpt === null ? 0 : Number(gpt[1]) + Number(gpt[2] ?? 0) / 10
  if (gpt === null && !/^(?:o\d|codex|chatgpt)/.test(name)) return undefined
  return { version, isReasoning: version >= 5 || /^(?:o\d|codex)/.test(name) }
}

/** The words for effort that a model of OpenAI's takes. */
export function openAiEfforts(version: number): readonly string[] {
  if (version < 5) return ['low', 'medium', 'high']
  if (version < 5.1) return ['minimal', 'low', 'medium', 'high']
  if (version < 5.2) return ['none', 'low', 'medium', 'high']
  if (version < 6) return ['none', 'low', 'medium', 'high', 'xhigh']
  return ['none', 'low', 'medium', 'high', 'xhigh', 'max']
}
