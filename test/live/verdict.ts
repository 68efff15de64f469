/**
 * Whether a flow through the gateway came to what it came to without, as far as two runs of a real model
 * can be compared. Neighbours: `live.ts` runs both.
 */
import type { ExchangeReport } from '../../src/exchange/report.ts'
import type { Outcome, Said } from '../support/sdk-flow.ts'
import type { Recorded } from './recorder.ts'

export type Verdict =
  | { readonly type: 'good'; readonly notes: readonly string[] }
  /** It does not work without the gateway either. */
  | { readonly type: 'unable'; readonly why: string }
  | { readonly type: 'bad'; readonly why: string }

export interface Seen {
  readonly flow: string
  /** Not asked for flows that leave. */
  readonly direct: Outcome | undefined
  readonly through: Outcome
  readonly reports: readonly ExchangeReport[]
  readonly recorded: readonly Recorded[]
}

export function judge(seen: Seen): Verdict {
  const { direct, through, flow } = seen
  if (through.type === 'left') return judgeLeft(seen, through.at)
  if (direct === undefined) return { type: 'unable', why: `Not left: ${tell(through)}` }
  if (direct.type === 'thrown' && flow !== 'wrong key')
    return { type: 'unable', why: `Without the gateway too: ${tell(direct)}` }
  if (direct.type !== through.type)
    return bad(`${direct.type} without the gateway, ${through.type} with it: ${tell(through)}`)
  if (direct.type === 'thrown' && through.type === 'thrown') {
    const [one, other] = [direct.error, through.error]
    const isSame = one.name === other.name && one.status === other.status && one.kind === other.kind
    return isSame ? good() : bad(`${tell(direct)} without the gateway, ${tell(through)} with it`)
  }
  if (direct.type === 'told' && through.type === 'told') return judgeTold(flow, direct, through)
  if (direct.type === 'said' && through.type === 'said')
    return judgeSaid(seen, direct.said, through.said)
  return good()
}

const good = (notes: readonly string[] = []): Verdict => ({ type: 'good', notes })
const bad = (why: string): Verdict => ({ type: 'bad', why })

const tell = (outcome: Outcome): string =>
  outcome.type === 'thrown'
    ? `${outcome.error.name} ${outcome.error.status ?? ''} ${outcome.error.message}`
    : outcome.type

/** How long the provider may go on after the client has left. */
const LEFT_WITHIN = 100

function judgeLeft({ reports, recorded }: Seen, at: number): Verdict {
  if (reports.some(({ outcome }) => outcome !== 'client-left'))
    return bad(`The gateway reports ${reports.map(({ outcome }) => outcome).join(', ')}`)
  const late = recorded
    .map((one) => Date.parse(one.at) + one.durationMs - at)
    .filter((ms) => ms >= LEFT_WITHIN)
  return late.length === 0 ? good() : bad(`The provider was left ${late.join(', ')} ms later`)
}

type Told = Extract<Outcome, { type: 'told' }>

function judgeTold(flow: string, direct: Told, through: Told): Verdict {
  if (flow === 'token count')
    return JSON.stringify(direct.told) === JSON.stringify(through.told)
      ? good()
      : bad(`${JSON.stringify(through.told)} instead of ${JSON.stringify(direct.told)}`)
  const [one, other] = [direct.told as readonly unknown[], through.told as readonly unknown[]]
  if (flow !== 'models') return other.length > 0 ? good() : bad('Nothing came')
  const missing = one.filter((name) => !other.includes(name))
  return missing.length === 0 ? good() : bad(`The list has no ${missing.join(', ')}`)
}

function judgeSaid({ reports, recorded }: Seen, direct: Said, through: Said): Verdict {
  const open = reports.find(({ outcome }) => outcome !== 'done')
  if (open !== undefined) return bad(`The gateway reports ${open.outcome}: ${open.fault?.message}`)
  if (through.text === '' && direct.text !== '') return bad('No text came')
  if (through.finish !== direct.finish)
    return bad(`It finished with ${through.finish} instead of ${direct.finish}`)
  if (through.calls.length === 0 && direct.calls.length > 0) return bad('No tool was called')
  const notes: string[] = []
  if (through.calls.length !== direct.calls.length)
    notes.push(`${through.calls.length} calls instead of ${direct.calls.length}`)
  const sent = recorded.reduce((sum, { bytes }) => sum + bytes, 0)
  const passed = reports.reduce((sum, { bytesOut }) => sum + bytesOut, 0)
  // More are signs of life in a silence of ten seconds; fewer would be a loss.
  if (passed < sent) return bad(`${passed} bytes passed of ${sent} that the provider sent`)
  if (passed > sent) notes.push(`${passed - sent} bytes of signs of life`)
  return good(notes)
}
