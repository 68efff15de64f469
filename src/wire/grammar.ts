/**
 * What may follow what on a wire. An automaton looks at every frame and says what is wrong with it;
 * it is `sluice lint`, and it checks what our own encoders write. Neighbours: each wire's
 * `grammar.ts` holds its rules. Knows no vendor.
 */
import { isObject, type JsonObject } from '../base/json.ts'
import type { Stage } from '../base/stage.ts'
import type { Frame } from '../sse/frame.ts'

/**
 * `error`: some official client breaks on it or misreads the answer. `warning`: odd, but all of them
 * live with it.
 */
export type Severity = 'error' | 'warning'

export interface Rule {
  readonly severity: Severity
  /** What must hold. */
  readonly says: string
  /** Which clients care, and what they do. */
  readonly client: string
}

export interface Finding {
  /** 1 for the first frame that has data; the last one for what is missing at the end. */
  readonly frame: number
  readonly rule: string
  readonly severity: Severity
  /** What was found here. */
  readonly message: string
  readonly client: string
}

export type Grammar = Stage<Frame, Finding>

/** Collects the findings of one automaton. A rule speaks once per frame. */
export interface Findings<Name extends string> {
  nextFrame(): void
  add(rule: Name, message: string): void
  take(): readonly Finding[]
}

/** A stream of rubbish must not make the list of its faults grow without end. */
const MAX_FINDINGS = 1000

export function createFindings<Name extends string>(
  rules: Readonly<Record<Name, Rule>>,
): Findings<Name> {
  let frame = 0
  let total = 0
  let found: Finding[] = []
  return {
    nextFrame() {
      frame += 1
    },
    add(name, message) {
      if (total >= MAX_FINDINGS || found.some((finding) => finding.rule === name)) return
      total += 1
      const { severity, client } = rules[name]
      found.push({ frame, rule: name, severity, message, client })
    },
    take() {
      const taken = found
      found = []
      return taken
    },
  }
}

/** What a frame holds, as a grammar looks at it. */
export type Payload =
  | { readonly type: 'nothing' }
  | { readonly type: 'empty' }
  | { readonly type: 'done' }
  | { readonly type: 'broken' }
  | { readonly type: 'json'; readonly json: JsonObject }

export function readPayload(frame: Frame): Payload {
  const { data } = frame
  if (data === undefined) return { type: frame.event === undefined ? 'nothing' : 'empty' }
  if (data === '') return { type: 'empty' }
  if (data.startsWith('[DONE]')) return { type: 'done' }
  try {
    const json: unknown = JSON.parse(data)
    return isObject(json) ? { type: 'json', json } : { type: 'broken' }
  } catch {
    return { type: 'broken' }
  }
}
