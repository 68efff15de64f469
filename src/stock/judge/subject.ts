/**
 * A held block and what was asked → what the judge is shown, and the key under which its verdict is kept. Neighbours:
 * `window.ts` and `canonical.ts`; `prompt.ts` puts it into words. Only what the prompt has a place for is read.
 */
import { createHash } from 'node:crypto'
import { fullName, type BlockOf } from '../../event/block.ts'
import type { PolicyRequest } from '../../policy/policy.ts'
import { toCanonical } from './canonical.ts'
import { shorten, toData } from './data.ts'
import type { JudgeSettings } from './options.ts'
import { placesOf, type PlaceName } from './template.ts'
import { lastTask, toWindow } from './window.ts'

export type Judged = BlockOf<'tool-call' | 'text'>

export interface Subject {
  /** For sentences; no content. */
  readonly what: string
  readonly values: ReadonlyMap<PlaceName, string>
  /** The same for the same call in the same context under the same rules. */
  readonly key: string
}

const MAX_DESCRIPTION = 1000
const MAX_SYSTEM = 4000
const MAX_NAME = 200

/** `version`: of the rules; what was decided under others is not asked for. */
export function toSubject(
  block: Judged,
  request: PolicyRequest,
  { settings, version }: { readonly settings: JudgeSettings; readonly version: string },
): Subject {
  const values = new Map<PlaceName, string>()
  for (const place of placesOf(settings.prompt))
    values.set(place, toValue(place, block, request, settings))
  const context = [...values].filter(([place]) => place !== 'arguments')
  const call = block.type === 'text' ? block.text : canonicalOf(block)
  const key = createHash('sha256')
    .update(toData([version, block.type, nameOf(block), call, context]))
    .digest('base64url')
  return {
    what: block.type === 'text' ? 'text' : `call of "${shorten(nameOf(block), MAX_NAME)}"`,
    values,
    key,
  }
}

export const contentOf = (block: Judged): string =>
  block.type === 'text' ? block.text : block.arguments

const nameOf = (block: Judged): string => (block.type === 'text' ? '' : fullName(block))

const canonicalOf = (block: BlockOf<'tool-call'>): string =>
  block.dialect === 'custom' ? block.arguments : toCanonical(block.arguments)

function toValue(
  place: PlaceName,
  block: Judged,
  request: PolicyRequest,
  settings: JudgeSettings,
): string {
  switch (place) {
    case 'tool':
      return toData(shorten(nameOf(block), MAX_NAME))
    // As it came: also what is no JSON, or says a thing twice, is seen as the client will get it.
    case 'arguments':
      return toData(block.type === 'text' ? '' : block.arguments)
    case 'text':
      return toData(block.type === 'text' ? block.text : '')
    case 'description': {
      const tool = block.type === 'text' ? undefined : request.tool(block.name, block.namespace)
      return toData(shorten(tool?.description ?? '', MAX_DESCRIPTION))
    }
    case 'task':
      return toData(lastTask(request.turns()))
    case 'conversation':
      return toWindow(request.turns(), { maxTurns: settings.turns, maxChars: settings.context })
    case 'system': {
      const text = request.system().map((part) => part.text)
      return toData(shorten(text.join('\n'), MAX_SYSTEM))
    }
  }
}
